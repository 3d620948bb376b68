"""`assay backfill`: record past batches as history without judging them."""

from __future__ import annotations

from assay.checks.formatting import counted_batches, visible
from assay.cli.batches import find_batches_of, measure_batches
from assay.cli.gate_options import BackfillOptions, BatchesArguments
from assay.cli.gates import create_gate
from assay.cli.options import OutputOptions, SparkOptions
from assay.cli.output import print_json, stdout
from assay.cli.reading_options import FileOptions
from assay.cli.spark import spark_session
from assay.cli.stores import open_or_create_store
from assay.gate.backfill import backfill_measured

__all__ = ["run"]


def run(
    arguments: BatchesArguments,
    files: FileOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: BackfillOptions,
) -> None:
    """Record the batches of files or of a table."""
    gate = create_gate(arguments.dataset, open_or_create_store(options.store), options)
    located = find_batches_of(arguments, files)
    with spark_session(spark_options, output) as spark:
        results = measure_batches(
            spark, gate, arguments, files, output, located=located, will_be_stored=True
        )
        measured = backfill_measured(gate.spec, results)
    unreadable = {
        batch.batch.key: batch.unreadable for batch in measured if batch.unreadable is not None
    }
    n_recorded = len(measured) - len(unreadable)
    if output.json:
        left_out = {} if located is None else located.left_out
        print_json({
            "dataset": arguments.dataset,
            "batches": n_recorded,
            "unreadable": unreadable,
            "left_out": {str(path): reason for path, reason in left_out.items()},
        })  # fmt: skip
        return
    out = stdout(output)
    recorded = f"{counted_batches(n_recorded)} of {visible(arguments.dataset)} recorded."
    out.print(recorded, markup=False)
    for key, reason in unreadable.items():
        out.print(f"  {visible(key)} is left out: {reason}", markup=False)

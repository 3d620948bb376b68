"""`assay profile`: what is in each column."""

from __future__ import annotations

from assay.cli.options import Output, Session, Table
from assay.cli.output import answer, console, working
from assay.cli.session import started
from assay.cli.table import command_table
from assay.io.locations import locate_table
from assay.learn.profile import profile, profile_plan
from assay.learn.profile.terminal import print_profile

__all__ = ["run"]

#: rows whose types are enough for a plan
_ROWS = 1000


def run(
    options: Table, output: Output, session: Session, *, columns: list[str] | None, plan: bool
) -> None:
    """Profile it."""
    source = locate_table(options.source, options.reading)
    with started(session, output, source) as spark:
        found = command_table(spark, options, output, sample_rows=_ROWS if plan else None)
        if plan:
            out = console(output)
            out.print(str(profile_plan(found.df, columns)), markup=False, soft_wrap=True)
            out.print("and a second pass that looks closer where that pays")
            return
        with working(output, "Reading …"):
            drawn = profile(found.df, columns)
    if output.json:
        answer({"source": options.source, "format": found.description, **drawn.to_dict()})
    else:
        print_profile(drawn, console(output))

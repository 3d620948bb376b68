"""What Assay costs, beside what it would cost by hand: ``python -m benchmarks.scan``."""

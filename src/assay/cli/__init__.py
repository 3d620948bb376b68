"""The command line: `assay check orders.csv`."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command `assay`."""
    from assay.cli.app import app

    app(prog_name="assay")

"""The version of Assay, in one place."""

__version__ = "0.2.0"

"""Constraints suggested from what a table is called and holds (deequ, sections 3.3 and 4.2)."""

"""Patterns from the lake: what the values of a string column look like (auto-validate).

An index over the columns of a lake tells which of a column's many patterns describes its domain.
"""

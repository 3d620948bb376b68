"""Assertions: the condition that a metric must fulfil."""

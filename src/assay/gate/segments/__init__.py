"""Segments of a batch, such as the rows of each country: their measures, history and deviations."""

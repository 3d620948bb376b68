"""Learn rules, limits and expectations from the data, and from the history of a dataset."""

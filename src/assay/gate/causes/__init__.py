"""The most likely cause of an alarm, in words: for one column, or for the whole table."""

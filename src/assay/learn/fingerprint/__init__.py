"""What every batch leaves behind for learners: the facts of each column, from states or from rows.

`facts` are what is known of a column of a batch, `column` makes them of rows at hand, and
`distances` are those between the facts of two batches.
"""

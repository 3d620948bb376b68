"""Auto-Validate-by-History: what a column's past batches let demand of the next (avh-kdd23).

In the order of its steps: `facts` are what is known of a batch, from rows (`column`) or from
states; `kinds` are the metrics and `distances` those of two batches; `stationary` takes drift and
season out of their histories, `bounds` says how often limits are broken, `constraint` lays out all
limits; `issues` are what may go wrong, `rehearsal` what that would do; `greedy` chooses, `program`
is what was chosen, `document` its written form, and `judge` holds the next batch against it.
"""

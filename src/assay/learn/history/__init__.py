"""Auto-Validate-by-History: what a column's past batches let demand of the next (avh-kdd23).

In the order of its steps: `kinds` are the metrics of a batch's fingerprint, or of two;
`stationary` takes drift and season out of their histories, where `unit_root` finds any; `bounds`
says how often limits are broken, `constraint` lays out all limits; `issues` are what may go wrong,
`rehearsal` what that would do; `greedy` chooses, `program` is what was chosen, `document` its
written form, and `judge` holds the next batch against it.
"""

"""Methods of `Check`: one module for each kind of constraint."""

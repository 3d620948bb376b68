"""Golden files: the output of every command on real data. `make golden` rewrites them."""

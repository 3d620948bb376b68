"""Relations between columns that hold in every batch: equality, order, sums, dependencies, keys."""

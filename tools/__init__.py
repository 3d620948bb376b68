"""Tools of the developers: generators of documentation, the real data sets."""

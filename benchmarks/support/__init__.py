"""Code that several benchmarks share: data, ways to compare, timing, goals."""

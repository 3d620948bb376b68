"""What the benchmarks share: data, ways to compare, timing, goals."""

"""Linear algebra for compiled loops: sparse and dense factorizations, rank, orderings."""

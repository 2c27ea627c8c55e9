"""Mathematics without mechanics: compiled kernels, sparse factorization, rank, splines, jets."""

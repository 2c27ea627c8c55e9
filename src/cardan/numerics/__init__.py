"""Mathematics independent of mechanics: compiled kernels, sparse factorization, rank, splines, jets."""

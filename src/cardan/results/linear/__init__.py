"""Linear models, modes, root loci and sensitivities."""

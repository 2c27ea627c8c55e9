"""Design of experiments: plans, and what follows from the samples of a study."""

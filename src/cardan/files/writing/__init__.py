"""Writing a model to a file."""

"""Building the model from the data that was read."""

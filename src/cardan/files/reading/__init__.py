"""Reading a model file into plain data, and collecting its faults. No class of the model is loaded."""

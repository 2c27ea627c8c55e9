"""What the page can do to a drawing: each edit changes the text of a model file."""

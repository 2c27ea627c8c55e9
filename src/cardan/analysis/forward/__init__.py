"""Forward dynamics: the integration loop, events, checkpoints and failures."""

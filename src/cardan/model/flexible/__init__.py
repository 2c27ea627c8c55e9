"""What flexible bodies of both spaces share: modal coordinates, the choice of modes and damping, elastic forces."""

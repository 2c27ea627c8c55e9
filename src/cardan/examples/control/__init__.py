"""Motors, hydraulics and controllers."""

"""Contact, impact and friction."""

"""Cars, suspensions and a bicycle."""

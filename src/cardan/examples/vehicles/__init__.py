"""Cars, suspensions, a truck and two-wheelers."""

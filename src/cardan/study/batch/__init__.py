"""Many kinematic analyses in one compiled loop."""

"""The model of a file, from what its reader found: bodies, joints, closures, tendons, contacts, velocities."""

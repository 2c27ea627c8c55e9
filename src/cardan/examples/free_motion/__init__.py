"""Motion under gravity and initial velocities, including rolling."""

"""Results: snapshots and trajectories, indexed by the user's own bodies, joints, points and measures."""

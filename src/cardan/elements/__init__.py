"""Elements that act on measures, in the plane and in space: drivers, gears, user constraints, forces, controllers."""

"""Constraints for both spaces: drivers, gears, rods, rolling, and user-defined constraints."""

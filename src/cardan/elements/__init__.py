"""What acts on measures in either space: holds, drivers, couplers and the user's own constraints."""

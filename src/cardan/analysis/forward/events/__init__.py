"""Events of runs: conditions, what happens at them, and elements that switch."""

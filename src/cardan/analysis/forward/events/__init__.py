"""Events of runs: conditions, actions, and elements that switch."""

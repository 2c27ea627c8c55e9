"""The joints of space, a page each: which measures are zero, which are offered as coordinates."""

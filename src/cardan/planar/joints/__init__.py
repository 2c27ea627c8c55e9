"""The joints of the plane, a page each: which measures are zero, which are offered as coordinates."""

"""The planar joints, one page each: the measures they keep at zero, and the coordinates they offer."""

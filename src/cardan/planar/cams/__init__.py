"""Cams, rollers and slots: outlines in contact. The contact parameter is an internal coordinate of the element."""

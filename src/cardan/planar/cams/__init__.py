"""Cams, rollers and slots: outlines in contact. The place of contact is an own coordinate of the element."""

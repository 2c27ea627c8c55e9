"""All mechanisms of the plane and of space, for laws that hold in both."""

import catalogue
import catalogue_spatial

CASES = catalogue.CASES + catalogue_spatial.CASES

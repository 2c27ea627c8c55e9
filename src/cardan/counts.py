"""Counts in messages: "1 driver", "2 drivers".

This module imports nothing of the package.
"""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """The number with its noun in the singular or plural.

    >>> counted(1, "degree of freedom"), counted(0, "mode"), counted(2, "body")
    ('1 degree of freedom', '0 modes', '2 bodies')
    """
    return f"{number} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a noun, or of the first word of a phrase with "of".

    >>> plural("degree of freedom"), plural("redundant constraint"), plural("body"), plural("equilibrium")
    ('degrees of freedom', 'redundant constraints', 'bodies', 'equilibria')
    """
    head, of, rest = noun.partition(" of ")
    if head.endswith("um"):
        head = head[:-2] + "a"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = head[:-1] + "ies"
    else:
        head += "es" if head.endswith(("s", "x", "ch")) else "s"
    return head + of + rest

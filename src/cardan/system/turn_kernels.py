"""The memory of turns while a mechanism moves: see `cardan.system.turns`."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel

STRAY = 1.0  # rad by which an angle may miss what the rates at both ends of a step say


@kernel(internal=True, inline=True)
def commit_turns(z, reference):
    """A step begins where measures have the values z: angles count on from there."""
    for m in range(reference.shape[0]):
        reference[m] = z[m, 0]


@kernel(internal=True, inline=True)
def commit_rates(z, reference, rates, winding):
    """The same with the rates of angles, which limit how far they may turn in a step."""
    commit_turns(z, reference)
    for k in range(winding.shape[0]):
        rates[winding[k]] = z[winding[k], 1]


@kernel(internal=True, inline=True)
def commit_all_rates(z, reference, rates):
    """The same with the rates of all measures."""
    for m in range(reference.shape[0]):
        reference[m], rates[m] = z[m, 0], z[m, 1]


@kernel(internal=True, inline=True)
def remember_turns(tables):
    """The angles of the state evaluated last, for the record."""
    for k in range(tables.winding.shape[0]):
        tables.turns[k] = tables.work.z[tables.winding[k], 0]


@kernel(internal=True, inline=True)
def write_turns(reference, winding, line):
    """The values of angles as a line of a record."""
    for k in range(winding.shape[0]):
        line[k] = reference[winding[k]]


@kernel(internal=True, inline=True)
def read_turns(line, winding, reference):
    """Angles count on from a line of a record; entries that are NaN are not known."""
    for k in range(winding.shape[0]):
        if line[k] == line[k]:
            reference[winding[k]] = line[k]


@kernel(internal=True)
def count_turns(counting, q, reference):
    """Angles whose turns joint coordinates include."""
    for n in range(counting.measure.shape[0]):
        total = counting.constant[n]
        for j in range(counting.start[n], counting.start[n + 1]):
            total += counting.sign[j] * q[counting.place[j]]
        reference[counting.measure[n]] = total


@kernel(internal=True, inline=True)
def turns_fit(z, reference, rates, winding, h):
    """Whether no angle has turned, within a step h, by another number of turns than the rates at both ends say.

    Where the rates at its start are not known, NaN, they say nothing."""
    for k in range(winding.shape[0]):
        m = winding[k]
        if abs(z[m, 0] - reference[m] - 0.5 * h * (rates[m] + z[m, 1])) > STRAY:
            return False
    return True

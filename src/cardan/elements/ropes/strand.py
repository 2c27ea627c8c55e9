r"""Strands of ropes and belts, which only pull, and their slip around a drum: plain functions of numbers.

Friction on a drum holds up to the Euler-Eytelwein limit, T_tight <= E T_slack with E = exp(mu phi). The tensions are
k e, so rope slips from the slack strand to the tight one when e_tight would exceed E e_slack, at the rate

    s' = max(0, (e_tight' - E e_slack') / (1 + E) + (e_tight - E e_slack) / ((1 + E) tau))

The first term stays at the limit, the second approaches it. Slip begins a thousandth below the limit, so the limit,
where slip continues, is not where it is switched; at lower ratios nothing slips. Both strands then stretch in
proportion, and so do their dampers.
"""

from __future__ import annotations

DAMPING_ONSET = 1e-4  # stretch over which damping reaches its full value, relative to the length
BAND = 1e-3  # start of slip below the limit, relative to the ratio of tensions


def tension(stretch, rate, stiffness, damping, onset):
    """The tension of a strand: zero while slack, and never negative."""
    if stretch <= 0.0:
        return 0.0
    share = min(stretch / onset, 1.0)
    return max(stiffness * stretch + damping * rate * share * share * (3.0 - 2.0 * share), 0.0)


def slipping(stretch, rate, other, other_rate, ratio, settling):
    """The speed at which rope slips toward the first strand, or from it; 0 while it sticks."""
    toward = _drawn(stretch, rate, other, other_rate, ratio, settling)
    return toward - _drawn(other, other_rate, stretch, rate, ratio, settling)


def _drawn(tight, rate, slack, slack_rate, ratio, settling):
    weight = ratio if slack > 0.0 else 0.0
    excess = tight - weight * slack
    if tight <= 0.0 or excess < -BAND * tight:
        return 0.0
    return max((rate - weight * slack_rate + excess / settling) / (1.0 + weight), 0.0)

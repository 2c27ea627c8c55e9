r"""Strands of ropes and belts that only pull, and how they slip around a drum: plain functions of numbers.

Friction on a drum holds what Euler and Eytelwein say, T_tight <= E T_slack with E = exp(mu phi). The tensions are k e,
so rope slips from the slack strand to the tight one where e_tight would exceed E e_slack, just so fast that both agree:

    s' = max(0, (e_tight' - E e_slack') / (1 + E) + (e_tight - E e_slack) / ((1 + E) tau))

The first term keeps the limit, the second one leads to it. Slip begins a thousandth below the limit, so the limit,
where it goes on, is not the place where it is switched; at lower ratios nothing slips at all. As both strands then
stretch in proportion, so do their dampers.
"""

from __future__ import annotations

ONSET = 1e-4  # of the length: the stretch within which damping grows to its full value
BAND = 1e-3  # of the ratio of tensions, below the limit


def tension(stretch, rate, stiffness, damping, onset):
    """What a strand pulls with: nothing while it is slack, and never less than nothing."""
    if stretch <= 0.0:
        return 0.0
    share = min(stretch / onset, 1.0)
    return max(stiffness * stretch + damping * rate * share * share * (3.0 - 2.0 * share), 0.0)


def slipping(stretch, rate, other, other_rate, ratio, settling):
    """The speed at which rope slips toward the first strand, or from it; 0 while friction holds it."""
    toward = _drawn(stretch, rate, other, other_rate, ratio, settling)
    return toward - _drawn(other, other_rate, stretch, rate, ratio, settling)


def _drawn(tight, rate, slack, slack_rate, ratio, settling):
    weight = ratio if slack > 0.0 else 0.0
    excess = tight - weight * slack
    if tight <= 0.0 or excess < -BAND * tight:
        return 0.0
    return max((rate - weight * slack_rate + excess / settling) / (1.0 + weight), 0.0)

"""A driven mechanism against its rivals in NumPy and SciPy: CPU time per time point, and whether the numbers agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from marching import Loop
from rival import TOLERANCE, Form, analyze, by_newton, by_root
from timing import at_least, at_most, interleaved, repeated, table

from cardan import kinematics
from cardan.model.model import Model

RUNS, PASSES = 5, 20
TURN = 360  # time points of the short call

Motion = tuple[np.ndarray, ...]  # q, v, a


def contest(
    model: Model,
    times: np.ndarray,
    forms: Mapping[str, Form],
    as_cardan: Callable[..., Motion] = lambda q, v, a: (q, v, a),
) -> list[bool]:
    """Run everything in turn, print the table and return the verdicts.

    The last form is shown only, also with Newton's method in the place of `root`; all others are to be beaten.
    `as_cardan` turns a rival's q, v, a into Cardan's, ground left out.
    """
    loop, few = Loop(model, times), times[: TURN + 1]
    tasks = {f"root, {name}": (times, _analysis(times, form, by_root)) for name, form in forms.items()}
    *judged, by_hand = forms
    tasks |= {
        f"Newton, {by_hand}": (times, _analysis(times, forms[by_hand], by_newton)),
        "cardan, compiled loop": (times, repeated(loop, PASSES)),
        "cardan, whole call": (times, lambda: kinematics(model, times, progress=False)),
        "cardan, whole call, fewer points": (few, lambda: kinematics(model, few, progress=False)),
    }
    seconds = interleaved({name: task for name, (_, task) in tasks.items()}, RUNS)
    seconds["cardan, compiled loop"] /= PASSES
    each = {name: seconds[name] / instants.size for name, (instants, _) in tasks.items()}
    ours = each["cardan, compiled loop"]
    table(
        f"{model.name}, CPU time per time point (medians of {RUNS} interleaved runs)",
        ("", "points", "us per point", "times the loop"),
        [(name, instants.size, 1e6 * each[name], each[name] / ours) for name, (instants, _) in tasks.items()],
    )
    verdicts = [
        at_least(f"compiled loop against root, {name}", each[f"root, {name}"] / ours, 100.0, "x") for name in judged
    ]
    for name, form in forms.items():
        motion = analyze(times, form, by_root)
        apart = _difference(loop, as_cardan(*motion))
        verdicts += [
            at_most(f"difference of q, v, a to root, {name}, relative", apart, 1e-9),
            at_most("worst equation of root, relative to the size", _residual(form, motion[0], times), TOLERANCE),
        ]
    return verdicts


def _analysis(times: np.ndarray, form: Form, close: Callable[..., np.ndarray]) -> Callable[[], Motion]:
    return lambda: analyze(times, form, close)


def _difference(loop: Loop, theirs: Motion) -> float:
    """The largest difference between Cardan and the rival, relative to the largest value of each kind."""
    motion, width = loop(), loop.system.width
    stored = motion.q.shape[1] - theirs[0].shape[1]  # of the ground
    ours = motion.q[:, stored:], motion.v[:, width:], motion.a[:, width:]
    return max(float(np.abs(o - t).max() / np.abs(t).max()) for o, t in zip(ours, theirs, strict=True))


def _residual(form: Form, q: np.ndarray, times: np.ndarray) -> float:
    """The worst equation that the rival leaves."""
    return max(float(np.abs(form.equations(x, t)).max()) / form.size for x, t in zip(q, times, strict=True))

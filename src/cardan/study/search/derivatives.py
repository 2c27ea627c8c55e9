"""Exact derivatives of outputs by parameters, where sensitivities() or motion_sensitivities() know them.

"slider.vx"  ->  rate of a coordinate      "A.angle"  ->  measure of a joint      "P.x"  ->  coordinate of a point
":max"       ->  the derivative where the maximum is reached;  ":mean"  ->  the mean of the derivatives;  ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.model.measure import Readable
from cardan.results.columns import Columns
from cardan.results.simulation import Simulation
from cardan.study.outputs import StudyOutput

ANALYSES = ("assemble", "equilibrium", "inverse_dynamics", "kinematics", "simulate", "steady_motion")
ORDERS = ("", "rate", "acceleration")


def exact_slopes(
    result: Any, parameters: Sequence[Any], outputs: Sequence[StudyOutput], start: Any
) -> list[np.ndarray]:
    """Of each output its derivatives, [..., parameters]; the model must be as it was when the result was computed.

    Raises `LookupError` where an output has no exact derivatives, and what sensitivities() raises.
    """
    ports = [port_of(result, output.source) for output in outputs]
    missing = [output.name for output, port in zip(outputs, ports, strict=True) if port is None]
    if missing:
        raise LookupError(f"'{missing[0]}' has no exact derivatives")
    unique = [port for k, port in enumerate(ports) if port not in ports[:k]]
    if isinstance(result, Simulation):
        from cardan.analysis.sensitivity.motion_sensitivities import motion_sensitivities

        found = motion_sensitivities(result, parameters, unique, start=start)
    else:
        from cardan.analysis.sensitivity.sensitivities import sensitivities

        found = sensitivities(result, parameters, unique)
    values = np.reshape(found.values, (-1, len(unique)))
    slopes = np.reshape(found.derivatives, (-1, len(unique), len(parameters)))
    single = found.values.ndim == 1  # a position or a rest
    read = []
    for output, port in zip(outputs, ports, strict=True):
        k = unique.index(port)
        y, dy = values[:, k], slopes[:, k]
        read.append(dy[0] if single else REDUCED[output.reduction](y, dy) if output.reduction else dy)
    return read


def port_of(result: Any, source: Any) -> Any:
    """What sensitivities() calls an output of a study; None if it has no name for it."""
    if isinstance(source, Readable):
        return source
    if not isinstance(source, str):
        return None
    columns = Columns(result.system, forces=False)
    found = columns[source].measure if source in columns else None
    if found is None:
        return None
    measure, order = found
    return (measure, ORDERS[order]) if order else measure


def _peak(y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    k = int(np.abs(y).argmax())
    return np.asarray(np.sign(y[k]) * dy[k])


REDUCED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "max": lambda y, dy: dy[int(y.argmax())],
    "min": lambda y, dy: dy[int(y.argmin())],
    "mean": lambda y, dy: dy.mean(axis=0),
    "peak": _peak,
    "rms": lambda y, dy: (y[:, None] * dy).mean(axis=0) / max(float(np.sqrt(np.mean(y * y))), 1e-300),
    "range": lambda y, dy: dy[int(y.argmax())] - dy[int(y.argmin())],
    "first": lambda y, dy: dy[0],
    "last": lambda y, dy: dy[-1],
}

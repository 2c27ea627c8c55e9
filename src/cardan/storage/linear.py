"""Linear models, modes, root loci and sensitivities in files."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from cardan.netcdf import Fixed
from cardan.results.linear.linearization import Linearization, Matrices, Motions
from cardan.results.linear.modes import Modes
from cardan.results.linear.root_locus import RootLocus
from cardan.results.linear.sensitivities import Gradient, Sensitivities
from cardan.storage.content import Content
from cardan.storage.plain_system import Plain

TABLES = ("dq", "dv", "mass", "damping", "stiffness", "jacobian", "stretch", "stretching", "elastic", "viscous")
SIZES = {"A": ("state", "state_too"), "B": ("state", "input"), "C": ("output", "state"), "D": ("output", "input")}


def linear_content(linear: Linearization) -> Content:
    """The matrices with the names of their rows and columns, and the motions behind them."""
    fixed = {name: Fixed((name,), words) for name, words in _names(linear).items() if words}
    for name, dims in SIZES.items():
        values = getattr(linear, name)
        if values.size:
            fixed[name] = Fixed(dims, values, {"long_name": "x' = A x + B u, y = C x + D u"})
    facts = {
        **_motions(linear.motions),
        "counts": [linear.displacements, linear.rates, linear.device_states],
        "shapes": {name: [*getattr(linear, name).shape] for name in SIZES},
        "states": linear.states,
        "inputs": linear._orders,
        "outputs": linear.outputs,
        "about": linear.about,
        "residual": linear.residual,
        "acceleration": linear.acceleration,
    }
    return Content("linearization", "record", {}, fixed, facts, linear.model)


def modes_content(modes: Modes) -> Content:
    """Eigenvalues and vectors, and the motions behind them."""
    fixed = _complex("eigenvalue", ("mode",), modes.eigenvalues, {"units": "1/s"})
    facts = {**_motions(modes.motions), "values": modes.eigenvalues, "vectors": modes.vectors, "near": modes._near}
    return Content("modes", "record", {}, fixed, facts, modes.motions.system.model)


def locus_content(locus: RootLocus) -> Content:
    fixed = {"value": Fixed(("value",), locus.values, {"long_name": locus.name})}
    fixed |= _complex("root", ("value", "branch"), locus.roots, {"units": "1/s"})
    facts = {"values": locus.values, "roots": locus.roots, "name": locus.name}
    return Content("root locus", "record", {}, fixed, facts, None)


def sensitivities_content(found: Sensitivities) -> Content:
    plain = Plain(found.system, bool(found.system.laws))
    fixed = {"parameter": Fixed(("parameter",), [*found.parameters]), "output": Fixed(("output",), [*found.outputs])}
    fixed = {name: variable for name, variable in fixed.items() if variable.values}
    dims = ("instant", "output", "parameter")[3 - found.derivatives.ndim :]
    if found.derivatives.size:
        fixed["derivative"] = Fixed(dims, found.derivatives)
    facts = {name: getattr(found, name) for name in ("times", "stated", "values", "derivatives")}
    words = {"parameters": found.parameters, "outputs": found.outputs, "tangents": [*found._tangents]}
    facts |= {"system": plain.facts(), **words}
    return Content("sensitivities", "record", {}, fixed, facts, found.system.model)


def gradient_content(found: Gradient) -> Content:
    fixed = {"parameter": Fixed(("parameter",), [*found.parameters])}
    fixed["derivative"] = Fixed(("parameter",), found.derivatives)
    facts = {"value": found.value, "parameters": found.parameters, "derivatives": found.derivatives}
    return Content("gradient", "record", {}, fixed, facts, None)


def linear(read: Content) -> Linearization:
    facts = read.facts
    matrices = Matrices(
        *(
            np.asarray(read.fixed[name].values if name in read.fixed else np.zeros(shape))
            for name, shape in facts["shapes"].items()
        )
    )
    words = {name: facts[name] for name in ("states", "outputs", "about", "residual", "acceleration")}
    inputs = [(name, orders) for name, orders in facts["inputs"]]
    return Linearization(matrices, tuple(facts["counts"]), inputs=inputs, motions=_read_motions(read), **words)


def modes(read: Content) -> Modes:
    """Eigenvalues keep their order."""
    found = Modes.__new__(Modes)
    found.motions = _read_motions(read)
    found.eigenvalues, found.vectors, found._near = (read.facts[name] for name in ("values", "vectors", "near"))
    return found


def locus(read: Content) -> RootLocus:
    return RootLocus(read.facts["values"], read.facts["roots"], read.facts["name"])


def sensitivities(read: Content) -> Sensitivities:
    facts = read.facts
    parameters = _parameters(facts["parameters"], facts["stated"])
    parts = (facts["times"], parameters, facts["outputs"], facts["values"], facts["derivatives"])
    return Sensitivities(read.system, *parts, tuple(facts["tangents"]))


def gradient(read: Content) -> Gradient:
    facts = read.facts
    return Gradient(facts["value"], _parameters(facts["parameters"]), facts["derivatives"])


def _parameters(names: Sequence[str], stated: Any = None) -> list[Any]:
    """Stand-ins for the parameters of the model, with names and values."""
    values = np.zeros(len(names)) if stated is None else stated
    return [SimpleNamespace(name=name, value=value) for name, value in zip(names, values, strict=True)]


def _names(linear: Linearization) -> dict[str, list[str]]:
    return {"state": [*linear.states], "input": [*linear.inputs], "output": [*linear.outputs]}


def _motions(motions: Motions) -> dict[str, Any]:
    plain = Plain(motions.system, True)
    found = {name: getattr(motions, name) for name in ("time", "q", "v", *TABLES)}
    return {"system": plain.facts(), "motions": found | {"turns": motions.turns[plain.winding]}}


def _read_motions(read: Content) -> Motions:
    return Motions(system=read.system, **read.facts["motions"])


def _complex(name: str, dims: tuple[str, ...], values: np.ndarray, about: dict[str, str]) -> dict[str, Fixed]:
    """Complex numbers as two variables; empty arrays are omitted."""
    parts = {f"{name}_real": values.real, f"{name}_imaginary": values.imag}
    return {part: Fixed(dims, table, about) for part, table in parts.items() if table.size}

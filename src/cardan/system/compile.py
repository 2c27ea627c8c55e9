"""compile(model) -> System: number bodies, measures and rows, and lay out the factorization."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model.device import Device, Output, Sampler, Signal, upstream
from cardan.model.element import Constraint, Equation
from cardan.model.flexible.modal_coordinate import ModalCoordinate
from cardan.model.force import Force, Law
from cardan.model.matter.added_inertia import require_joint_coordinates
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import Space
from cardan.numerics.compiled.block import block, restore
from cardan.numerics.curves.motions import motion_table
from cardan.numerics.linalg.ldlt import analyze
from cardan.numerics.linalg.ordering import elimination_order, spanning_tree
from cardan.system.cartesian.masses import mass_entries
from cardan.system.circuit import states_of
from cardan.system.initial_configuration import Start, start_values
from cardan.system.system import Structure, System
from cardan.system.tables import Rows, Solver, starts
from cardan.system.turns import Specified, turning_angles

LAYOUTS = 16  # that are remembered
MIN_MODEL_LENGTH, MAX_MODEL_LENGTH = 1e-100, 1e100  # m: beyond them squares leave the range of numbers


def compile(
    model: Model,
    extra: Sequence[Constraint] = (),
    *,
    drivers: bool = True,
    forces: bool = False,
    watched: Sequence[Law] = (),
    time: float = 0.0,
    start: Start | None = None,
    without: Collection[Constraint] = (),
    like: System | None = None,
) -> System:
    """The arrays of a model. `extra` constraints stand beside those of the model; drivers, or constraints `without`
    which it must be, may be left out, `forces` taken in, and what further laws read may be `watched`.

    Positions are those stated, or `start`. Angles begin on the turn that holds and drivers ask for at the instant
    `time`. `like` is a system of the same model with other numbers: its length and, if it suits, its layout are kept.
    """
    bodies = tuple(model.bodies)
    elements = tuple(e for e in [*model.constraints, *extra] if (drivers or not e.drives) and e not in without)
    stated = [(k, equation) for k, element in enumerate(elements) for equation in element.equations()]
    equations = tuple(equation for _, equation in stated)
    number = _numbered(model, bodies)
    contacts = _own_coordinates(elements, bodies)
    applied = model.forces if forces else ()
    acting = [(element, law) for element in applied for law in element.laws()]
    laws = tuple(law for _, law in acting)
    devices: dict[Any, Any] = _devices(model.forces, acting, watched) if forces else {}
    sampling = [(element, sampler) for element in applied for sampler in element.samplers()]
    samplers = tuple(sampler for _, sampler in sampling)
    read = [*_read(equations, (*laws, *watched), (*devices.values(), *samplers))]
    read += turning_angles(model.space, elements).values()
    measures = grouped(model.space, read)
    _require_contacts(model, elements, stated, contacts)
    width, base = model.space.width, model.space.width * (1 + len(bodies))
    added = tuple(rotor for element in applied for rotor in element.added_inertia())
    require_joint_coordinates(added, elements)
    geometry = model.space.geometry(number, measures, contacts, base, added)
    length = model_length(model, measures) if like is None else like.length
    weights = metric(model.space, len(bodies), contacts, length)
    rows = rows_of(equations, measures, [length if e.unit == "m" else 1.0 for e in equations])
    columns = columns_of(model.space, number, measures, contacts, base)
    owner = np.array([k for k, _ in stated], int)
    masses = mass_entries(model.space, number, bodies, contacts, added) if forces else np.zeros((0, 3), int)
    if like is not None and _same_layout(like, rows, columns, masses):
        solver, structure = like.solver, like.structure
    else:
        layout, structure = layout_of(width, units_of(width, number, contacts), rows, columns, elements, owner, masses)
        solver = block(layout)
    given = Specified(model, elements, equations, owner.tolist(), measures, read, time, start.turns if start else None)
    q, offsets, reference = start_values(given, geometry, start)
    system = System(
        model=model,
        bodies=bodies,
        number=number,
        contact_coordinates=contacts,
        measures=measures,
        elements=elements,
        equations=equations,
        owner=owner,
        length=length,
        geometry=geometry,
        rows=block(rows._replace(offset=offsets)),
        solver=solver,
        structure=structure,
        weights=weights,
        start=q,
        reference=reference,
        forces=tuple(element for element, _ in acting),
        laws=laws,
        columns=columns,
        masses=masses,
        added=added,
        devices=tuple(devices.values()),
        device_owners=tuple(owner for owner, _ in devices),
        samplers=samplers,
        sampler_owners=tuple(element for element, _ in sampling),
        states=states_of(tuple(devices.values()), _signals(laws, watched, samplers)),
    )
    return system if start is None else _absorb_misfits(system, start.misfits)


def _read(equations: Iterable[Equation], laws: Iterable[Law], readers: Iterable[Any]) -> Iterator[Measure]:
    """The measures of equations and laws, and of the signals that devices and samplers read."""
    yield from (measure for equation in equations for _, measure in equation.terms)
    yield from (measure for law in laws for measure in law.measures())
    yield from (measure for reader in readers for signal in reader.inputs for measure in signal.measures())


def _own_coordinates(elements: Sequence[Constraint], bodies: Sequence[Any]) -> tuple[Any, ...]:
    """The internal coordinates: those of contacts, then those of modes."""
    contacts = [coordinate for element in elements for coordinate in element.contact_coordinates()]
    return (*contacts, *(coordinate for body in bodies for coordinate in body.modal_coordinates))


def _absorb_misfits(system: System, misfits: dict[tuple[str, str], float]) -> System:
    """The system with the misfits, by element and label, that another system of its model has absorbed."""
    names = [(system.elements[k].name, e.label) for k, e in zip(system.owner.tolist(), system.equations, strict=True)]
    system.absorb({r: misfits[name] for r, name in enumerate(names) if name in misfits} if misfits else {})
    return system


def remade(stated: dict[str, Any], geometry: dict[str, np.ndarray], rows: dict[str, np.ndarray]) -> System:
    """A copy of a system: tables that hold addresses are made anew, with the numbers that they had."""
    names = "model", "bodies", "contact_coordinates", "measures", "added"
    model, bodies, contacts, measures, added = (stated[name] for name in names)
    number = _numbered(model, bodies)
    base = model.space.width * (1 + len(bodies))
    return System(
        number=number,
        geometry=restore(model.space.geometry(number, measures, contacts, base, added), geometry),
        rows=restore(block(rows_of(stated["equations"], measures, rows["scale"].tolist())), rows),
        **stated,
    )


def _numbered(model: Model, bodies: Sequence[Any]) -> dict[int, int]:
    """The number of each body, by its identity; ground is 0."""
    if not bodies:
        raise ModelError(f"model '{model.name}' is empty: it has no body to move")
    return {id(body): k for k, body in enumerate((model.ground, *bodies))}


def _devices(
    elements: Sequence[Force], acting: Sequence[tuple[Force, Law]], watched: Sequence[Law]
) -> dict[tuple[Any, int], Device]:
    """All devices, each after those it reads, by their element (None: of an event) and number."""
    own = {id(device): e for e in elements for device in e.devices()}
    signals: list[tuple[Any, Signal]] = [(e, law.signal) for e, law in acting if law.signal is not None]
    signals += [(e, Output(device)) for e in elements for device in e.devices()]
    signals += [(e, signal) for e in elements for sampler in e.samplers() for signal in sampler.inputs]
    signals += [(None, law.signal) for law in watched if law.signal is not None]
    order = {id(device): k for k, device in enumerate(upstream([signal for _, signal in signals]))}
    found: dict[int, tuple[Any, Device]] = {}
    for element, signal in signals:
        for device in upstream([signal]):
            found.setdefault(order[id(device)], (own.get(id(device), element), device))
    return {(found[k][0], k): found[k][1] for k in sorted(found)}


def _signals(laws: Sequence[Law], watched: Sequence[Law], samplers: Sequence[Sampler]) -> list[Signal]:
    """Signals beside those that devices read: some of them are held."""
    found: list[Signal] = [w.signal for w in (*laws, *watched) if w.signal is not None]
    return [*found, *(held for sampler in samplers for held in (*sampler.held, *sampler.read()))]


def _require_contacts(
    model: Model, elements: Sequence[Constraint], stated: Sequence[tuple[int, Equation]], contacts: Sequence[Any]
) -> None:
    """The place of contact of another element can be held or driven only if that element is there."""
    known = {id(contact) for contact in contacts}
    for k, equation in stated:
        for marker in (marker for _, measure in equation.terms for marker in measure.markers()):
            if marker.contact_coordinate is not None and id(marker.contact_coordinate) not in known:
                raise ModelError(
                    f"{elements[k].title} refers to a place of contact, {equation.words}, of an element that model "
                    f"'{model.name}' lacks; add that element"
                )


def grouped(space: Space, measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Each measure once, grouped by kind as the tables want them."""
    rank = {kind: k for k, kind in enumerate(space.kinds)}
    unique = dict.fromkeys(measures)
    return tuple(sorted(unique, key=lambda measure: rank[measure.kind]))


def columns_of(
    space: Space, number: dict[int, int], measures: Sequence[Measure], contacts: Sequence[Any], base: int
) -> np.ndarray:
    """For each measure and column of its jac: the place in v, or the ground's (below `width`) where there is none."""
    contact_place = {id(c): base + k for k, c in enumerate(contacts)}
    width = space.width
    table = np.zeros((len(measures), space.row_length(measures)), np.int64)
    most = (table.shape[1] - 2 * width - 2) // 2
    for k, measure in enumerate(measures):
        for side, marker in enumerate((measure.a, measure.b)):
            if marker is None:
                continue
            first = width * number[id(marker.body)]
            for place, angular in enumerate(space.angular):
                if measure.kind != "modal" and (angular or _depends_on(space, measure, place)):
                    table[k, side * width + place] = first + place
            table[k, 2 * width + side] = contact_place.get(id(marker.contact_coordinate), 0)
            if marker.modes:
                own = [contact_place[id(coordinate)] for coordinate in marker.body.modal_coordinates]
                start = 2 * width + 2 + side * most
                table[k, start : start + len(own)] = own
    return table


def _depends_on(space: Space, measure: Measure, axis: int) -> bool:
    """Whether a measure can change when a body is displaced along an axis of the world."""
    return measure.kind not in space.turning and (measure.kind != "coordinate" or "xyz"[axis] == measure.axes)


def model_length(model: Model, measures: Sequence[Measure]) -> float:
    """The size of the mechanism: the largest distance of a marker from its body's origin, or the spread of all bodies.

    Where it stands and how it is turned does not matter: of ground only the spread of its markers counts.
    """
    markers = dict.fromkeys(marker for measure in measures for marker in measure.markers())
    arms = [marker.arm for marker in markers if marker.body is not model.ground]
    places = [model.space.pose(body)[: model.space.dimensions] for body in model.bodies]
    places += [marker.place for marker in markers if marker.body is model.ground]
    points = np.array(places)
    with np.errstate(over="ignore", invalid="ignore"):
        far = points[np.argmax(np.sum((points - points.mean(axis=0)) ** 2, axis=1))]
        found = max([*arms, float(np.sqrt(np.max(np.sum((points - far) ** 2, axis=1))))]) or 1.0
    if not MIN_MODEL_LENGTH < found < MAX_MODEL_LENGTH:
        lengths = {body.name: float(np.abs(body.position).max()) for body in model.bodies}
        name = max(lengths, key=lambda n: lengths[n])
        raise ModelError(
            f"the size of '{model.name}' would be {found:.3g} m, with which nothing can be computed: look at markers "
            f"and positions; that of '{name}' is the farthest, {lengths[name]:.3g} m"
        )
    return found


def metric(space: Space, bodies: int, contacts: Sequence[Any], length: float) -> np.ndarray:
    """W: an angle of 1 rad counts as much as a displacement by `length`; deformation of a body counts more."""
    body = [length**2 if angular else 1.0 for angular in space.angular]
    own = [c.weight if isinstance(c, ModalCoordinate) else length**2 for c in contacts]
    return np.array(body * bodies + own, float)


def rows_of(equations: Sequence[Equation], measures: Sequence[Measure], scales: Sequence[float]) -> Rows:
    """The tables of equations, errors of which are compared with their scales."""
    place = {measure: k for k, measure in enumerate(measures)}
    motions = [equation.motion.terms() if equation.motion is not None else [] for equation in equations]
    scale = np.array(scales, float)
    functions = [(r, e.function) for r, e in enumerate(equations) if e.function is not None]
    start = starts(len(e.terms) for e in equations)
    arguments = [(start[r] + term, level) for r, _ in functions for term, level in equations[r].arguments]
    return Rows(
        start=start,
        measure=np.array([place[m] for e in equations for _, m in e.terms], np.uint32),
        coefficient=np.array([c for e in equations for c, _ in e.terms], float),
        offset=np.array([e.offset for e in equations], float),
        velocity=np.array([e.velocity for e in equations], np.uint8),
        motion_start=starts(len(terms) for terms in motions),
        motions=motion_table([term for terms in motions for term in terms]),
        function=np.array([r for r, _ in functions], np.uint32),
        address=np.array([f.address for _, f in functions], np.uint64),
        call=np.zeros(1, np.uint64),
        argument_start=starts(len(equations[r].arguments) for r, _ in functions),
        argument=np.array(arguments, np.uint32).reshape(-1, 2),
        parameter_start=starts(len(f.parameters) for _, f in functions),
        parameter=np.array([p for _, f in functions for p in f.parameters], float),
        scale=scale,
        inverse=1.0 / scale,
    )


def layout_of(
    width: int,
    units: list[Sequence[int]],
    rows: Rows,
    columns: np.ndarray,
    elements: Sequence[Constraint],
    owner: np.ndarray,
    masses: np.ndarray,
) -> tuple[Solver, Structure]:
    """The pattern of [[W, J^T], [J, -E]] and the place of each contribution in it.

    It depends on what touches what and on no other number, and is shared by models that differ in numbers only.
    """
    nc = sum(len(unit) for unit in units)
    carried = [(element.carries, len(element.contact_coordinates())) for element in elements]
    tables = (rows.start, rows.measure, columns, owner, masses)
    key = repr((width, units, columns.shape, carried)).encode() + b"".join(table.tobytes() for table in tables)
    known = _layouts.get(key)
    if known is not None:
        return known
    nr = rows.offset.size
    n = nc + nr
    entry_row = np.repeat(np.arange(nr), np.diff(rows.start).astype(np.int64))
    entry, column = np.nonzero(columns[rows.measure] >= width)
    target = columns[rows.measure][entry, column]
    row = entry_row[entry]
    sides = columns[rows.measure, : 2 * width].reshape(-1, 2, width).max(axis=2)  # below width: ground, or no body
    grounded = set(owner[entry_row[(sides < width).any(axis=1)]].tolist())
    structure = _structure(units, row, target - width, elements, owner, grounded)
    order = elimination_order(*structure)
    pattern, slots = analyze(
        n,
        np.concatenate([np.arange(n), nc + row, masses[:, 0]]),
        np.concatenate([np.arange(n), target - width, masses[:, 1]]),
        order,
    )
    place = np.empty(n, np.uint32)
    place[order] = np.arange(n)
    solver = Solver(
        pattern=pattern,
        place=place,
        diagonal=slots[:n],
        slot=slots[n : n + row.size],
        entry=entry.astype(np.uint32),
        measure=rows.measure[entry],
        part=column.astype(np.uint32),
        row=row.astype(np.uint32),
        column=target.astype(np.uint32),
        mass_slot=slots[n + row.size :],
        mass_source=masses[:, 2].astype(np.uint32),
    )
    if len(_layouts) >= LAYOUTS:
        _layouts.clear()
    _layouts[key] = solver, structure
    return solver, structure


_layouts: dict[bytes, tuple[Solver, Structure]] = {}


def _same_layout(like: System, rows: Rows, columns: np.ndarray, masses: np.ndarray) -> bool:
    """Whether the same rows touch the same coordinates, and the same entries of masses are there."""
    pairs = (like.rows.start, rows.start), (like.rows.measure, rows.measure), (like.columns, columns)
    return all(map(np.array_equal, *zip(*pairs, strict=True))) and np.array_equal(like.solver.mass_source, masses[:, 2])


def units_of(width: int, number: dict[int, int], contacts: Sequence[Any]) -> list[Sequence[int]]:
    """The coordinates of each body, a flexible one's modes first, then each contact coordinate.

    Modes of a mean frame have a diagonal mass matrix: eliminated first, they cause no fill-in among themselves.
    """
    bodies = len(number) - 1
    own: list[list[int]] = [[] for _ in range(bodies)]
    single: list[Sequence[int]] = []
    for place, coordinate in enumerate(contacts, width * bodies):
        if isinstance(coordinate, ModalCoordinate):
            own[number[id(coordinate.body)] - 1].append(place)
        else:
            single.append(range(place, place + 1))
    return [[*own[k], *range(width * k, width * (k + 1))] for k in range(bodies)] + single


def _structure(
    units: list[Sequence[int]],
    row: np.ndarray,
    coordinate: np.ndarray,
    elements: Sequence[Constraint],
    owner: np.ndarray,
    grounded: Collection[int],
) -> Structure:
    """What the order of elimination depends on: which rows touch which bodies, and which joint carries which body."""
    unit_of = np.empty(sum(len(unit) for unit in units), int)
    for k, unit in enumerate(units):
        unit_of[list(unit)] = k
    touched: list[set[int]] = [set() for _ in elements]
    for k, u in zip(owner[row].tolist(), unit_of[coordinate].tolist(), strict=True):
        touched[k].add(u)
    members: list[list[int]] = [[] for _ in elements]
    for r, k in enumerate(owner.tolist()):
        members[k].append(r)
    edges, sizes = [], []
    for k, element in enumerate(elements):
        if element.carries and 1 <= len(touched[k]) <= 2:
            ends = sorted(touched[k])
            edges.append((-1, ends[0], k) if len(ends) == 1 else (ends[0], ends[1], k))
            sizes.append(len(members[k]))
    tree = spanning_tree(len(units), edges, sizes=sizes, n_blocks=len(elements))
    blocks = [(members[k], sorted(touched[k] | ({-1} if k in grounded else set()))) for k in range(len(elements))]
    return units, blocks, tree

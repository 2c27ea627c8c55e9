"""Rods: what `add_rod` builds, and what it rejects."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, SimulationError, eigenmodes, equilibrium, simulate
from cardan.planar import Section

STEEL = Section.rectangle(0.02, 0.001, E=210e9, density=7850.0)
SPACES = (plane, space)


def points_of(words, *points):
    """Points of the plane in either space."""
    return [(*point, 0.0)[: 2 if words is plane else 3] for point in points]


def down(words):
    return (0.0, -9.81, 0.0)[: 2 if words is plane else 3]


def test_sections():
    """The torsion constant of a square is 0.140577 a^4 (Timoshenko and Goodier, 109); shear factors of Cowper."""
    square = Section.rectangle(2.0, 2.0, E=1.0, density=1.0)
    assert square.J == pytest.approx(0.1405770 * 16.0, rel=1e-6)
    assert (square.A, square.Iz, square.Iy) == pytest.approx((4.0, 16.0 / 12.0, 16.0 / 12.0), rel=1e-15)
    flat = Section.rectangle(0.5, 0.1, E=1.0, density=2.0)  # wide along z: bends easily in the plane
    assert flat.Iz == pytest.approx(0.5 * 0.001 / 12.0, rel=1e-15) and flat.Iy > flat.Iz
    assert flat.mass_per_length == pytest.approx(0.1, rel=1e-15)
    tube = Section.tube(0.02, 0.018, E=1.0, density=1.0)
    assert (tube.A, tube.Iz) == pytest.approx((math.pi * 1.9e-5, math.pi * (1.6e-7 - 1.04976e-7) / 64.0), rel=1e-12)
    assert tube.J == 2.0 * tube.Iz
    solid, thin = Section.circle(1.0, E=1.0, density=1.0), Section.tube(1.0, 0.9999, E=1.0, density=1.0)
    assert solid.shear_factor == pytest.approx(7.8 / 8.8, rel=1e-12)  # Cowper 1966: 6 (1 + nu) / (7 + 6 nu),
    assert thin.shear_factor == pytest.approx(2.6 / 4.9, rel=1e-4)  # and 2 (1 + nu) / (4 + 3 nu)


@pytest.mark.parametrize("words", SPACES)
def test_mass_and_nodes(words):
    """All the mass is in the nodes, half an element at each end; a clamp to ground takes that of its own."""
    for ends, share in (({}, 1.0), ({"start": True}, 0.95), ({"start": True, "end": True}, 0.9)):
        model = words.Model("m")
        stated = dict.fromkeys(ends, model.ground)
        rod = words.add_rod(model, points_of(words, (0, 0), (3, 4)), STEEL, elements=10, **stated)
        assert rod.mass == pytest.approx(share * 5.0 * STEEL.mass_per_length, rel=1e-12)
        assert rod.length == pytest.approx(5.0, rel=1e-12)
        assert len(rod.beams) == 10 and len(rod.nodes) == 11 - len(ends)
        assert [beam.name for beam in rod.beams[:2]] == ["rod beam 1", "rod beam 2"]


@pytest.mark.parametrize("words", SPACES)
@pytest.mark.parametrize("elements", [None, 9])
def test_free_of_stress_as_laid(words, elements):
    """Along any points, also out of the plane: it rests where it was laid, and its beams carry nothing."""
    wave = [(0.0, 0.0, 0.0), (0.4, 0.3, 0.1), (0.8, 0.1, 0.4), (1.2, -0.3, 0.5), (1.5, 0.2, 0.2)]
    model = words.Model("m")
    points = [point[: 2 if words is plane else 3] for point in wave]
    rod = words.add_rod(model, points, STEEL, elements=elements, start=model.ground)
    rest = equilibrium(model)
    stiff = STEEL.E * STEEL.A
    assert np.abs(rod.forces(rest)).max() < 1e-12 * stiff
    stated = np.array([node.position for node in rod.nodes])
    assert np.abs(rod.positions(rest) - stated).max() < 1e-9


def test_arcs_are_exact():
    """Nodes on a circle: each beam is an arc of the circle, with its length and curvature, its x axes tangents."""
    radius, turns = 2.0, np.linspace(0.0, 1.2, 5)
    round_ = np.stack([radius * np.sin(turns), radius * (1.0 - np.cos(turns))], axis=1)
    flat, deep = plane.Model("m"), space.Model("m")
    arc = plane.add_rod(flat, round_.tolist(), STEEL)
    helix = space.add_rod(deep, np.c_[round_, 0.0 * turns].tolist(), STEEL)
    for beam, other in zip(arc.beams, helix.beams, strict=True):
        assert (beam.length, beam.curvature) == pytest.approx((0.6, 0.5), rel=1e-12)
        assert (other.length, *other.curvature) == pytest.approx((0.6, 0.0, 0.0, 0.5), rel=1e-12, abs=1e-14)
    assert [node.angle for node in arc.nodes] == pytest.approx(turns.tolist(), abs=1e-12)


def test_section_axes():
    """y is horizontal unless stated, and the section does not rotate about the rod."""
    model = space.Model("m")
    rod = space.add_rod(model, [(0, 0, 0), (1, 1, 1)], STEEL, elements=2, name="one")
    axes = space.rotation.matrix(np.array(rod.nodes[0].parameters))
    assert axes[:, 0] == pytest.approx(np.ones(3) / math.sqrt(3.0)) and axes[2, 1] == pytest.approx(0.0, abs=1e-15)
    rod = space.add_rod(model, [(0, 0, 0), (0, 0, 1)], STEEL, elements=2, y=(1, 0, 0), name="two")
    axes = space.rotation.matrix(np.array(rod.nodes[2].parameters))
    assert axes[:, 1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("words", SPACES)
def test_clamped_to_a_body(words):
    """Welded to a body, the rod keeps all of its mass; the weld carries its weight."""
    model = words.Model("m", gravity=down(words))
    mass = {"inertia": 1.0} if words is plane else {"inertia": (1.0, 1.0, 1.0)}
    place = points_of(words, (1, 2))[0]
    block = model.add(words.Body(2.0, **mass, position=place), name="block")
    model.add(words.Fixed(model.ground.at(*place), block.at()), name="hold")
    rod = words.add_rod(model, points_of(words, (1, 2), (1.3, 2)), STEEL, elements=6, start=block)
    rest = equilibrium(model)
    assert rod.mass == pytest.approx(0.3 * STEEL.mass_per_length, rel=1e-12)
    balanced = 1e-12 * STEEL.E * STEEL.A  # what equilibrium() leaves of the forces
    assert abs(rest["rod start"].force[1]) == pytest.approx(9.81 * rod.mass, abs=balanced)


@pytest.mark.parametrize("words", SPACES)
def test_load_per_length(words):
    """A cantilever: q L^4 / 8 E I (1 + 1 / 3 n^2); a load in the axes of the nodes is the same for small rotations."""
    section, n, q, L = Section.of_stiffness(EA=1e6, EI=2.0, mass_per_length=1.0), 4, 1e-4, 1.5
    for frame in ("global", "body"):
        model = words.Model("m")
        rod = words.add_rod(model, points_of(words, (0, 0), (L, 0)), section, elements=n, start=model.ground)
        loads = rod.add_load(points_of(words, (0, q))[0], frame=frame)
        rest = equilibrium(model, method="newton")
        exact = q * L**4 / (8.0 * 2.0) * (1.0 + 1.0 / (3.0 * n**2))
        assert rest[rod.nodes[-1]].position[1] == pytest.approx(exact, rel=1e-7)
        assert sum(float(load.force[1]) for load in loads) == pytest.approx(q * L * (1.0 - 0.5 / n), rel=1e-12)


@pytest.mark.parametrize("words", SPACES)
def test_frequencies(words):
    """Lumping alone is in error: the first three of a cantilever are low by 0.71, 2.4 and 3.9 % with 8 elements."""
    section, L = Section.of_stiffness(EA=1e8, EI=100.0, mass_per_length=2.0), 1.0
    for n, low in ((8, (0.0071, 0.024, 0.039)), (16, (0.0018, 0.0062, 0.0100))):
        model = words.Model("m")
        words.add_rod(model, points_of(words, (0, 0), (L, 0)), section, elements=n, start=model.ground)
        found = np.sort(eigenmodes(model).frequencies)
        found = found[:3] if words is plane else found[:6:2]  # in space each in two planes
        exact = np.array([1.875104069, 4.694091133, 7.854757438]) ** 2 * math.sqrt(100.0 / 2.0)
        assert 1.0 - found / exact == pytest.approx(low, rel=0.03)


def test_bent_too_far():
    """In every analysis: the message names the beam, the limit and the remedy."""
    for words, torque in ((plane, 20.0), (space, (0.0, 0.0, 20.0))):
        model = words.Model("m")
        section = Section.of_stiffness(EA=1e3, EI=1.0, mass_per_length=1.0)
        rod = words.add_rod(model, points_of(words, (0, 0), (1, 0)), section, elements=2, start=model.ground)
        model.add(words.Torque(rod.end, torque, **({} if words is plane else {"frame": "body"})), name="screw")
        with pytest.raises(SimulationError, match="Beam 'rod beam .' turn by more than 150 deg.*use more and shorter"):
            simulate(model, 3.0, output=0.1)
    model = space.Model("m")
    turned = space.rotation.from_axis_angle((0, 1, 0), 2.8)
    tip = model.add(space.Body(1.0, (1.0, 1.0, 1.0), position=(1, 0, 0), orientation=turned), name="tip")
    beam = space.Beam(model.ground.at(), tip.at(), 1.0, E=1.0, G=1.0, A=1.0, Iy=1.0, Iz=1.0, J=1.0)
    model.add(beam, name="strip")
    for analysis in (lambda: equilibrium(model), lambda: simulate(model, 0.1, output=0.1)):
        with pytest.raises(SimulationError, match="Beam 'strip' turn by more than 150 deg"):
            analysis()


def test_names_are_free_for_a_second_rod():
    model = plane.Model("m")
    plane.add_rod(model, [(0, 0), (1, 0)], STEEL, elements=2, name="a")
    plane.add_rod(model, [(0, 1), (1, 1)], STEEL, elements=2, name="b").add_load((0.0, -1.0))
    with pytest.raises(ModelError, match="already has a rod called 'a'"):
        plane.add_rod(model, [(0, 2), (1, 2)], STEEL, elements=2, name="a")


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"points": [(0, 0)]}, "points of rod 'rod' must be two or more points of 2 coordinates"),
        ({"points": [(0, 0), (1, 0, 0)]}, "points of rod 'rod' must be two or more"),
        ({"points": [(0, 0), (1, 0), (1, 0)]}, "points 1 and 2 of rod 'rod' coincide"),
        ({"section": 3.0}, "section of add_rod"),
        ({"elements": 0}, "elements of rod 'rod'"),
        ({"start": "wall"}, "the start of rod 'rod' must be a body of model 'm'"),
        ({"damping": -1.0}, "damping of Beam 'rod beam 1' must not be negative"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    with pytest.raises(ModelError, match=message):
        plane.add_rod(model, **({"points": [(0, 0), (1, 0)], "section": STEEL} | stated))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Section(E=-1.0, A=1.0, Iz=1.0, density=1.0), "E of a Section must be positive"),
        (lambda: Section(E=1.0, A=1.0, Iz=1.0, density=1.0, shear_factor=0.8), "needs G"),
        (lambda: Section.tube(1.0, 1.0, E=1.0, density=1.0), "inner diameter of a Section must be"),
        (lambda: Section.circle(1.0, E=1.0, density=1.0, poisson=0.7), "between -1 and 0.5"),
        (lambda: Section.of_stiffness(EA=1.0, EI=(1.0, 1.0, 1.0), mass_per_length=1.0), "one number or two"),
    ],
)
def test_rejected_sections(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_a_rod_in_space_needs_torsion():
    model = space.Model("m")
    with pytest.raises(ModelError, match="needs Iy, J and G"):
        space.add_rod(model, [(0, 0, 0), (1, 0, 0)], Section(E=1.0, A=1.0, Iz=1.0, density=1.0))

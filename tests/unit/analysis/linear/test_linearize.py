"""linearize(): inputs and outputs against simulations and closed forms, devices, bad input."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.signal

import cardan.planar as flat
import cardan.spatial as deep
from cardan import (
    CardanWarning,
    Change,
    Event,
    ModelError,
    SimulationError,
    assemble,
    eigenmodes,
    equilibrium,
    joint_space,
    linearize,
    reaction,
    road_spectrum,
    root_locus,
    simulate,
)
from folding import folded

MASS, STIFFNESS, DAMPING = 2.0, 50.0, 3.0


def oscillator(*, load=0.0, driven=False):
    """A mass on a spring whose other end is ground, or a carriage that a driver moves."""
    model = flat.Model("oscillator")
    mass = model.add(flat.Body(mass=MASS, inertia=1.0), name="mass")
    guide = model.add(flat.Translational(model.ground.at(), mass.at()), name="guide")
    measure = guide.travel
    if driven:
        cart = model.add(flat.Body(mass=1.0, inertia=1.0), name="cart")
        rail = model.add(flat.Translational(model.ground.at(), cart.at()), name="rail")
        model.add(flat.Driver(rail.travel, 0.0), name="shaker")
        measure = guide.travel - rail.travel
    model.add(flat.Spring(measure, STIFFNESS, damping=DAMPING, rest_length=0.0), name="spring")
    model.add(flat.Load(mass.at(), (load, 0.0)), name="push")
    return model, guide


def test_matrices_of_an_oscillator():
    """M, C, K and the four matrices by hand; states are travel and its rate."""
    model, guide = oscillator()
    outputs = [guide.travel, flat.rate(guide.travel), (guide.travel, "acceleration"), "spring"]
    linear = linearize(model, inputs=["push"], outputs=outputs, degrees_of_freedom=[guide.travel])
    assert linear.inputs == ("push.x", "push.y") and linear.about == "rest"
    k, c = STIFFNESS / MASS, DAMPING / MASS
    assert np.allclose(linear.A, [[0, 1], [-k, -c]], atol=1e-12)
    assert np.allclose(linear.B, [[0, 0], [1 / MASS, 0]], atol=1e-12)
    assert np.allclose(linear.C, [[1, 0], [0, 1], [-k, -c], [STIFFNESS, DAMPING]], atol=1e-11)
    assert np.allclose(linear.D, [[0, 0], [0, 0], [1 / MASS, 0], [0, 0]], atol=1e-12)
    modes = linear.modes()
    assert modes.frequencies == pytest.approx([np.sqrt(k)]) and modes.damping_ratios == pytest.approx(
        [c / 2 / np.sqrt(k)]
    )
    assert modes.stable is True
    energies = modes.energies(0)
    assert energies["kinetic"] == pytest.approx({"mass": 1.0})
    assert energies["strain"]["spring"] == pytest.approx(1.0) and energies["dissipated"]["spring"] == pytest.approx(1.0)


def test_step_and_export():
    """A constant force moves the mass by F / k; SciPy's own response is the same."""
    model, guide = oscillator()
    linear = linearize(model, inputs=["push"], outputs=[guide.travel])
    times, found = linear.step(8.0)
    assert found[-1, 0, 0] == pytest.approx(1.0 / STIFFNESS, rel=1e-2)
    assert isinstance(linear.to_scipy(), scipy.signal.StateSpace)
    w, gain = np.array([2.0]), linear.frequency_response([2.0])[0, 0, 0]
    assert gain == pytest.approx(1.0 / (STIFFNESS - MASS * w[0] ** 2 + 1j * DAMPING * w[0]))
    density = linear.spectrum([4.0, 0.0], w)
    assert density[0, 0] == pytest.approx(4.0 * abs(gain) ** 2)
    _, kicked = linear.impulse(1.0, 11)
    assert kicked[0, 0, 0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("driven", [True, False])
def test_export_to_control(driven):
    """python-control finds the same poles and the same frequency response, by our names."""
    control = pytest.importorskip("control")
    model, guide = oscillator(driven=driven)
    linear = linearize(model, inputs=["shaker" if driven else "push"], outputs=[guide.travel])
    exported = linear.to_control()
    assert exported.ninputs == (3 if driven else 2) and exported.noutputs == 1
    assert exported.input_labels == (["shaker", "shaker'", "shaker''"] if driven else ["push_x", "push_y"])
    poles = np.sort_complex(linear.eigenvalues())
    assert np.allclose(np.sort_complex(control.poles(exported)), poles, rtol=1e-12)
    w = 3.0
    value = np.asarray(exported(1j * w)).reshape(1, -1)[0]
    if driven:  # u, u' and u'' of one motion
        value = np.array([value @ (1j * w) ** np.arange(3)])
    assert np.allclose(value, linear.frequency_response([w])[0, 0], rtol=1e-12)


@pytest.mark.parametrize("driven", [True, False])
def test_moved_base(driven):
    """Transmission (k + i w c) / (k - m w^2 + i w c), from a driver and from the ground under the spring."""
    model, guide = oscillator(driven=driven)
    if driven:
        port = "shaker"
    else:
        model = flat.Model("hung")
        mass = model.add(flat.Body(mass=MASS, inertia=1.0, position=(1.0, 0.0)), name="mass")
        guide = model.add(flat.Translational(model.ground.at(), mass.at()), name="guide")
        spring = flat.Spring(flat.length(model.ground.at(), mass.at()), STIFFNESS, damping=DAMPING, rest_length=1.0)
        port = (model.add(spring, name="spring"), "x")
    linear = linearize(model, inputs=[port], outputs=[guide.travel])
    w = np.array([0.5, 3.0, 20.0])
    expected = (STIFFNESS + 1j * w * DAMPING) / (STIFFNESS - MASS * w**2 + 1j * w * DAMPING)
    assert np.allclose(linear.frequency_response(w)[:, 0, 0], expected, rtol=1e-10)
    transmission = scipy.signal.StateSpace(*scipy.signal.tf2ss([DAMPING, STIFFNESS], [MASS, DAMPING, STIFFNESS]))
    for ours, theirs in ((linear.step, scipy.signal.step), (linear.impulse, scipy.signal.impulse)):
        times, found = ours(3.0, 61)
        assert np.allclose(found[:, 0, 0], theirs(transmission, T=times)[1], atol=1e-9)
    joined = linear.to_scipy(joined=True)
    assert joined.inputs == 1 and np.allclose(joined.freqresp(w)[1], expected, rtol=1e-10)
    moving = linearize(model, inputs=[port], outputs=[(guide.travel, "acceleration")])
    with pytest.raises(ModelError, match="depends directly on its rate and would be infinite at the step"):
        moving.step(1.0)


def test_joined_inputs_of_control():
    """python-control gets one column for an input that moves, by its own name."""
    pytest.importorskip("control")
    model, guide = oscillator(driven=True)
    exported = linearize(model, inputs=["shaker"], outputs=[guide.travel]).to_control(joined=True)
    assert exported.input_labels == ["shaker"]
    assert np.asarray(exported(0.0j)).item() == pytest.approx(1.0)


def test_road_under_two_axles():
    """A beam on two springs over one road: heave sees (1 + exp(-i w T)) / 2 of it, pitch their difference."""
    model, heave, pitch = carriage()
    ports = [(model["front"], "y"), (model["rear"], "y")]
    linear = linearize(model, inputs=ports, outputs=[heave, pitch])
    speed, base = 20.0, 2.0
    w = np.array([1.0, 7.0, 10.0 * np.pi, 50.0])
    found = linear.spectrum(road_spectrum(speed, "B", behind=(0.0, base)), w)
    late = np.exp(-1j * w * base / speed)
    response = linear.frequency_response(w)
    heights = 64e-6 * (w / (2 * np.pi * speed * 0.1)) ** -2 / (2 * np.pi * speed)
    both = response[:, :, 0] + response[:, :, 1] * late[:, None]
    assert np.allclose(found, np.abs(both) ** 2 * heights[:, None], rtol=1e-12)
    alone = linear.spectrum([road_spectrum(speed, "B")] * 2, w)
    assert np.allclose(alone, (np.abs(response) ** 2).sum(axis=2) * heights[:, None], rtol=1e-12)
    assert found[2, 0] < 1e-20 + 1e-9 * alone[2, 0]  # half a wave between the axles: no heave


def carriage():
    model = flat.Model("carriage")
    beam = model.add(flat.Body(mass=500.0, inertia=400.0, position=(0.0, 0.5)), name="beam")
    for name, place in (("front", 1.0), ("rear", -1.0)):
        spring = flat.length(model.ground.at(place, 0.0), beam.at(place, 0.0))
        model.add(flat.Spring(spring, 2e4, damping=1500.0, rest_length=0.5), name=name)
    guide = flat.x(beam.at())
    model.add(flat.Hold(guide, 0.0), name="course")
    return model, flat.y(beam.at()), flat.angle(model.ground.at(), beam.at())


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"speed": -1.0}, "the speed of road_spectrum"),
        ({"speed": 20.0, "roughness": "Z"}, "the roughness of road_spectrum"),
        ({"speed": 20.0, "roughness": 0.0}, "the roughness of road_spectrum"),
        ({"speed": 20.0, "behind": ["x"]}, "a distance of road_spectrum"),
    ],
)
def test_roads_are_judged(stated, words):
    with pytest.raises(ModelError, match=words):
        road_spectrum(**stated)


def test_cross_spectra_are_judged():
    model, heave, _ = carriage()
    linear = linearize(model, inputs=[(model["front"], "y"), (model["rear"], "y")], outputs=[heave])
    with pytest.raises(ModelError, match="is infinite at frequency zero"):
        linear.spectrum(road_spectrum(20.0, behind=(0.0, 2.0)), [0.0, 1.0])
    for table, words in (
        (np.ones((1, 3, 3)), r"have the shape \(1, 2, 2\), spectrum\(\) got \(1, 3, 3\)"),
        (np.array([[[1.0, 1j], [1j, 1.0]]]), "the conjugate of"),
        (np.array([[[1.0, 3.0], [3.0, 1.0]]]), "negative power"),
    ):
        with pytest.raises(ModelError, match=words):
            linear.spectrum(table, [1.0])


def test_reaction_of_a_driver():
    """A driver alone: no states, but its force is m u''."""
    model = flat.Model("shaker")
    mass = model.add(flat.Body(mass=MASS, inertia=1.0), name="mass")
    guide = model.add(flat.Translational(model.ground.at(), mass.at()), name="guide")
    driver = model.add(flat.Driver(guide.travel, 0.0), name="driver")
    label = driver.equations()[0].label
    linear = linearize(model, inputs=[driver], outputs=[reaction(driver, label)])
    assert linear.A.shape == (0, 0)
    assert np.allclose(linear.D, [[0.0, 0.0, MASS]], atol=1e-12)


def test_a_controller_is_linearized_with_its_mechanism():
    """A PID with the states of its parts: deviations of a simulation follow exp(A t)."""
    model = flat.Model("servo", gravity=(0.0, -9.81))
    arm = model.add(flat.Body(mass=1.0, inertia=0.1, position=(0.0, -0.3)), name="arm")
    hinge = model.add(flat.Revolute(model.ground.at(), arm.at(0.0, 0.3)), name="hinge")
    pid = model.add(flat.PID(hinge.angle, 0.0, kp=20.0, ki=5.0, kd=2.0), name="pid")
    model.add(flat.Actuator(hinge.angle, pid), name="motor")
    linear = linearize(model, degrees_of_freedom=[hinge.angle], inputs=[pid], outputs=[hinge.angle, pid])
    assert linear.device_states >= 1 and linear.modes().stable
    start = linear.modes().snapshot(0, size=0.0)
    start.q[:] = _turned(model, 1e-4).q
    run = simulate(model, 1.0, output=0.1, start=start, rtol=1e-10)
    x0 = np.zeros(linear.A.shape[0])
    x0[0] = 1e-4
    expected = [(scipy.linalg.expm(linear.A * t) @ x0)[0] for t in run.times]
    assert np.allclose(run[hinge.angle].value, expected, atol=2e-8)


def _turned(model, angle):
    hinge = model["hinge"]
    held = flat.Model("turned")
    arm = held.add(flat.Body(position=(0.3 * np.sin(angle), -0.3 * np.cos(angle)), angle=angle), name="arm")
    held.add(flat.Revolute(held.ground.at(), arm.at(0.0, 0.3)), name=hinge.name)
    return assemble(held)


def test_a_point_out_of_balance_is_told():
    model = flat.Model("pendulum", gravity=(0.0, -9.81))
    rod = model.add(flat.Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="rod")
    model.add(flat.Revolute(model.ground.at(), rod.at(-1.0, 0.0)), name="pin")
    # g r / (r^2 + i^2) with r = 1 m, i^2 = 0.1 m^2
    words = "not an equilibrium: it accelerates by -8.92 .*/s2 along the .* of 'rod', and .* of the largest force"
    with pytest.warns(CardanWarning, match=words):
        linear = linearize(model)
    assert linear.residual > 0.5


def test_a_motion_that_is_not_steady_is_told():
    """A pendulum on its way: the acceleration along its freedom is named. A wheel that spins evenly says nothing."""
    model = flat.Model("pendulum", gravity=(0.0, -9.81))
    rod = model.add(flat.Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="rod")
    model.add(flat.Revolute(model.ground.at(), rod.at(-1.0, 0.0)), name="pin")
    run = simulate(model, 0.2, output=0.1)
    with pytest.warns(CardanWarning, match="not in steady motion: it accelerates by -.* of 'rod'"):
        linearize(model, at=(run, 0.1))
    wheel = flat.Model("wheel")
    disk = wheel.add(flat.Body(mass=1.0, inertia=0.1, center=(0.2, 0.0), angular_velocity=5.0), name="disk")
    wheel.add(flat.Revolute(wheel.ground.at(), disk.at()), name="pin")
    spin = simulate(wheel, 0.2, output=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CardanWarning)
        linearize(wheel, at=(spin, 0.1))


@pytest.mark.parametrize("words", [flat, deep], ids=["planar", "spatial"])
def test_drag_at_rest(words):
    """|u| u has no slope where u is zero: no damping. With wind the damping is rho A c |w| along the wind."""
    for wind, damping in ((0.0, 0.0), (3.0, 2.0 * 0.5 * 1.2 * 0.5 * 3.0)):
        model = words.Model("plate")
        n = model.space.dimensions
        plate = model.add(words.Body(2.0, 0.1 if n == 2 else (0.1, 0.1, 0.1)), name="plate")
        flow = (wind, 0.0, 0.0)[:n]
        model.add(words.Drag(plate.at(), area=0.5, coefficient=1.0, density=1.2, wind=flow), name="drag")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CardanWarning)
            found = linearize(model, degrees_of_freedom=None).eigenvalues().real
        assert found.min() == pytest.approx(-damping / 2.0, abs=1e-12)


def test_a_device_without_a_slope_is_named():
    """The root of the travel has none at zero."""
    model = flat.Model("rooted")
    cart = model.add(flat.Body(mass=1.0, inertia=0.1), name="cart")
    travel = model.add(flat.Translational(model.ground.at(), cart.at()), name="guide").travel
    root = model.add(flat.Controller(lambda x: math.sqrt(x), [travel]), name="root")
    model.add(flat.Actuator(travel, root), name="actuator")
    with pytest.raises(SimulationError, match="'root' has no finite slope where it is linearized"):
        linearize(model)


def test_root_locus_finds_where_stability_ends():
    """An inverted pendulum on a torsional spring: stable while k > m g l."""

    def build(stiffness):
        model = flat.Model("inverted", gravity=(0.0, -9.81))
        rod = model.add(flat.Body(mass=1.0, inertia=0.1, position=(0.0, 1.0)), name="rod")
        pin = model.add(flat.Revolute(model.ground.at(), rod.at(0.0, -1.0)), name="pin")
        model.add(flat.Spring(pin.angle, stiffness, damping=0.1, rest_angle=0.0), name="spring")
        return model

    locus = root_locus(build, [5.0, 9.0, 11.0, 20.0], name="stiffness")
    assert locus.stable.tolist() == [False, False, True, True]
    assert "unstable for 5, 9" in repr(locus)
    with pytest.raises(ModelError, match="at least one value"):
        root_locus(build, [])
    model = build(10.0)
    named = root_locus(model, [5.0, 9.0, 11.0, 20.0], parameter="spring.stiffness")
    assert named.name == "spring.stiffness" and np.allclose(named.roots, locus.roots)
    assert model["spring"].stiffness == 10.0
    for given, words in (
        ((model, [1.0]), "needs the parameter that has these values"),
        ((build, [1.0], "spring.stiffness"), "takes parameter= only with a model"),
        ((model, [1.0], "spring.stifness"), "did you mean 'stiffness'"),
        ((model, [1.0], ["spring.stiffness", "rod.mass"]), "varies one parameter, got 2"),
        ((3.0, [1.0]), "takes a model, or a function"),
        ((model, [-1.0], "rod.mass"), "mass"),
    ):
        with pytest.raises(ModelError, match=words):
            root_locus(*given[:2], parameter=given[2] if len(given) > 2 else None)


BAD = [
    ({"inputs": ["nothing"]}, "called 'nothing'"),
    ({"inputs": ["guide"]}, "prescribes no motion"),
    ({"inputs": [3.0]}, "an input of linearize"),
    ({"outputs": [3.0]}, "an output of linearize"),
    ({"outputs": ["lost"]}, "called 'lost'"),
    ({"degrees_of_freedom": []}, "lists 0"),
    ({"at": 5}, "at= of linearize"),
    ({"degrees_of_freedom": "guide.travel"}, "must be a list of measures, got str"),
    (
        {"degrees_of_freedom": [flat.x(flat.Body(mass=1.0, inertia=1.0).at())]},
        "a measure in degrees_of_freedom.*refers to a body",
    ),
    ({"inputs": ["push", "push"]}, "'push.x' is listed twice in inputs"),
    ({"time": float("inf")}, "the time of linearize.* must be finite"),
    ({"coordinates": "polar"}, "coordinates must be 'auto'"),
    ({"inputs": [("push", "z")]}, "an input of linearize"),
]


@folded(("options", "words"), BAD)
def test_bad_input(options, words):
    model, _ = oscillator()
    with pytest.raises(ModelError, match=words):
        linearize(model, **options)


def test_what_has_no_mass_is_named():
    model = deep.Model("light", gravity=(0, 0, -9.81))
    body = model.add(deep.Body(mass=1.0, position=(0, 0, -1)), name="bob")
    model.add(deep.Spherical(model.ground.at(), body.at(0, 0, 1)), name="ball")
    with pytest.raises(ModelError, match="mass matrix of 'light' is singular: turn about z' of 'bob'"):
        linearize(model)


def latched(where="stated"):
    """Two bars whose elbow is latched until the arm has fallen by 0.5 rad; then, perhaps, it is caught again."""
    model = flat.Model("latched", gravity=(0.0, -9.81))
    arm = model.add(flat.Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="arm")
    fore = model.add(flat.Body(mass=2.0, inertia=0.2, position=(1.5, 0.0)), name="fore")
    pin = model.add(flat.Revolute(model.ground.at(), arm.at(-0.5, 0.0)), name="pin")
    elbow = model.add(flat.Revolute(arm.at(0.5, 0.0), fore.at(-0.5, 0.0)), name="elbow")
    latch = model.add(flat.Hold(elbow.angle, 0.0), name="latch")
    events = [Event(pin.angle, -0.5, action=lambda snapshot: Change(release=[latch]))]
    catch = Event(pin.angle, -0.9, action=lambda snapshot: Change(engage=[latch], where=where))
    run = simulate(model, 1.0, output=0.05, events=[*events, catch] if where == "as it is" else events)
    return model, run, elbow


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
def test_released_joints_stay_released():
    """Where a run has released a joint there is one freedom more, with the matrices of the model without it."""
    model, run, elbow = latched()
    assert [linearize(model, (run, t)).displacements for t in (0.1, 0.9)] == [1, 2]
    free = flat.Model("free", gravity=(0.0, -9.81))
    arm = free.add(flat.Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="arm")
    fore = free.add(flat.Body(mass=2.0, inertia=0.2, position=(1.5, 0.0)), name="fore")
    pin = free.add(flat.Revolute(free.ground.at(), arm.at(-0.5, 0.0)), name="pin")
    joint = free.add(flat.Revolute(arm.at(0.5, 0.0), fore.at(-0.5, 0.0)), name="elbow")
    ours = linearize(model, (run, 0.9), degrees_of_freedom=[model["pin"].angle, elbow.angle])
    at = run.at(0.9)
    at.shifts = []
    theirs = linearize(free, at, degrees_of_freedom=[pin.angle, joint.angle])
    np.testing.assert_allclose(ours.A, theirs.A, atol=1e-6)


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
def test_joints_engaged_as_they_stand_keep_their_value():
    model, run, elbow = latched("as it is")
    caught = run.at(1.0)
    assert abs(caught[elbow.angle].value) > 0.01
    linear = linearize(model, (run, 1.0), outputs=[elbow.angle])
    assert linear.displacements == 1 and np.abs(linear.C).max() < 1e-12
    np.testing.assert_allclose(linear.motions.q, caught.q, atol=1e-9)


def test_a_run_is_no_instant():
    model, _ = oscillator()
    run = simulate(model, 0.1)
    with pytest.raises(ModelError, match=r"a whole run, 0 s to 0.1 s: select a time, at=\(run, time\)"):
        linearize(model, run)
    with pytest.raises(ModelError, match="t = 5 s lies outside"):
        linearize(model, (run, 5.0))


def test_what_is_asked_of_a_linearization_is_judged():
    model, guide = oscillator()
    linear = linearize(model, inputs=["push"], outputs=["push"])
    for ask, words in (
        (lambda: linear.modes().shape(7), "mode 7 does not exist: there are 1"),
        (lambda: linear.modes().energies(7), "mode 7 does not exist"),
        (lambda: linear.modes().energy_table(0.5), "mode 0.5 does not exist"),
        (lambda: linear.frequency_response("fast"), "needs finite frequencies in rad/s"),
        (lambda: linear.spectrum([lambda w: -1.0] * 2, [1.0]), "must not be negative"),
        (lambda: eigenmodes(model, near="x"), "near= of eigenmodes.* must be a finite number"),
        (lambda: eigenmodes(model, count=50), "50 eigenvalues are requested"),
    ):
        with pytest.raises(ModelError, match=words):
            ask()


def hung(kind):
    """Mechanisms whose joints offer no measure for every freedom, or whose wheels leave fewer rates than places."""
    if kind in ("ball", "floating"):
        model = deep.Model(kind, gravity=(0, 0, -9.81))
        body = model.add(deep.Body(mass=2.0, inertia=(0.1, 0.2, 0.15), position=(0, 0, -1)), name="bob")
        if kind == "ball":
            model.add(deep.Spherical(model.ground.at(), body.at(0, 0, 1)), name="ball")
        else:
            stiffness = np.diag([100.0, 200.0, 300.0, 10.0, 20.0, 30.0])
            model.add(deep.Bushing(model.ground.at(0, 0, -1), body.at(), stiffness), name="mount")
        return model
    model = flat.Model(kind, gravity=(0, -9.81) if kind == "wheel" else (0, 0))
    body = model.add(flat.Body(1.0, 0.02, position=(0, 0.2), velocity=(1, 0) if kind == "blade" else (0, 0)), name="it")
    if kind == "wheel":
        model.add(flat.RollingWheel(model.ground.at(), body.at(), radius=0.2), name="road")
    else:
        model.add(flat.KnifeEdge(model.ground.at(), body.at()), name="blade")
    return model


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
@pytest.mark.parametrize(
    ("kind", "states"),
    [
        ("ball", ("along ball.wx", "along ball.wy", "along ball.wz", "ball.wx", "ball.wy", "ball.wz")),
        ("floating", tuple(f"{way}bob.{k}{c}" for way in ("along ", "") for k in "vw" for c in "xyz")),
        ("wheel", ("along it.x", "along it.angle", "it.x")),
        ("blade", ("along it.x", "along it.y", "along it.angle", "it.x", "it.angle")),
    ],
)
def test_joint_coordinates(kind, states):
    """Eigenvalues do not depend on what counts them; the mass matrix is that of the tree."""
    model = hung(kind)
    linear, plain = linearize(model, coordinates="joint"), linearize(model)
    assert linear.states == states
    ours, theirs = (np.sort_complex(np.round(part.eigenvalues(), 6)) for part in (linear, plain))
    assert np.allclose(ours, theirs, atol=2e-6)
    if kind in ("ball", "floating"):
        tree = joint_space(model)
        assert np.allclose(linear.mass, tree.mass_matrix(tree.q), atol=1e-12)


def relaxed_plate(seed, place=None):
    """A plate between three springs that are relaxed at x = 1 m; stated at a place, or near that."""
    rng = np.random.default_rng(seed)
    model = flat.Model("plate", gravity=(0.0, 0.0))
    x, y, angle = np.array([1.0, 0.0, 0.0]) + 0.02 * rng.normal(size=3) if place is None else place
    plate = model.add(flat.Body(1.0, 0.1, position=(x, y), angle=angle), name="plate")
    for k in range(3):
        fixed, arm, stiffness = 2.0 * rng.normal(size=2), 0.3 * rng.normal(size=2), 20.0 + 80.0 * rng.random()
        span = flat.length(model.ground.at(*fixed), plate.at(*arm))
        relaxed = float(np.hypot(*(fixed - arm - [1.0, 0.0])))
        model.add(flat.Spring(span, stiffness=stiffness, rest_length=relaxed), name=f"spring {k}")
    return model


@pytest.mark.parametrize("seed", range(8))
def test_equilibria_without_forces_are_balanced(seed):
    """All forces there are rounding, and so is their imbalance. A micrometer beside it nothing is balanced."""
    model = relaxed_plate(seed)
    rest = equilibrium(model, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear = linearize(model, rest)
        eigenmodes(model, rest, count=2)
    assert linear.residual <= 1e-6
    place = [*rest["plate"].position, rest["plate"].angle]
    with pytest.warns(CardanWarning, match="where it is not an equilibrium"):
        linearize(relaxed_plate(seed, np.array(place) + [1e-6, 0.0, 0.0]))


def test_eigenmodes_are_the_finite_ones():
    """Of four hanging links, all eight and no more: the others of the pencil are infinite."""
    model = flat.Model("chain", gravity=(0, -9.81))
    end = model.ground.at()
    for k in range(4):
        link = model.add(flat.Body(mass=0.1, inertia=1e-3, position=(0, -0.05 - 0.1 * k)), name=f"link {k}")
        model.add(flat.Revolute(end, link.at(0, 0.05)), name=f"pin {k}")
        end = link.at(0, -0.05)
    expected = linearize(model, equilibrium(model)).modes().frequencies
    modes = eigenmodes(model)
    assert modes.frequencies == pytest.approx(expected, rel=1e-9) and modes.stable is None
    with pytest.raises(ModelError, match="which has 8, with 4 degrees of freedom: state at most count=8"):
        eigenmodes(model, count=10)

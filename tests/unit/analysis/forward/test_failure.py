"""How runs of forward dynamics fail: by name, with the time, the place and what was computed."""

import math
import re
import time

import pytest

from cardan import Event, Interrupted, LockUp, ModelError, SimulationError, simulate
from cardan.analysis.progress import Progress
from cardan.integrators.stepping import run_steps
from cardan.planar import Action, Body, Distance, Driver, Function, Load, Model, Ramp, Revolute, x, y
from simple_motions import falling, swinging

METHODS = ("auto", "dop853")


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_gives_no_number(method):
    """sqrt(y - 2) at y < 2: in time 0.8383 by its own weight and force; the run stops close to it."""
    model, ball = falling(4.905)
    model.add(Action(y(ball.at()), lambda z: math.sqrt(z - 2.0)), name="thrust")
    with pytest.raises(SimulationError, match="Action 'thrust' returned no finite force, or its function") as caught:
        simulate(model, 2.0, method=method)
    error = caught.value
    assert error.elements == ("thrust",) and "body 'ball' is at x 0, y 2," in str(error)
    assert error.partial.stopped is error and error.partial.times[-1] == error.time
    assert error.partial[ball].position[-1, 1] == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_raises(method):
    model, ball = falling()

    def late(z, rate, t):
        if t > 0.2:
            raise ValueError("too late")
        return 1.0

    model.add(Action(y(ball.at()), late), name="late")
    with pytest.raises(SimulationError, match=r"at t = 0\.2 s Action 'late' returned no finite force") as caught:
        simulate(model, 1.0, method=method)
    assert caught.value.time == pytest.approx(0.2, abs=1e-6) and len(caught.value.partial) > 1


def test_at_once():
    model, ball = falling()
    model.add(Load(ball.at(), (lambda t: math.sqrt(t - 1.0), 0.0)), name="pull")
    with pytest.raises(SimulationError, match="at t = 0 s Load 'pull' returned no finite force") as caught:
        simulate(model, 1.0)
    assert caught.value.time == 0.0 and len(caught.value.partial) == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_force_without_bound(method):
    """x'' = -1/x^2 from rest at 1 reaches the pole at t = pi / sqrt(8)."""
    model = Model("pole")
    comet = model.add(Body(mass=1.0, inertia=1.0, position=(1, 0)), name="comet")
    model.add(Action(x(comet.at()), lambda z: -1.0 / z**2), name="sun")
    with pytest.raises(SimulationError, match="the step became too small.*body 'comet' has the greatest") as caught:
        simulate(model, 5.0, method=method)
    assert caught.value.time == pytest.approx(math.pi / math.sqrt(8.0), abs=1e-6)
    assert "end the run there by an event" in str(caught.value)
    assert caught.value.partial.energy.kinetic[-1] > 1e3


@pytest.mark.parametrize("method", ["bdf", "radau", "partition"])
@pytest.mark.parametrize("law", ["sqrt", "late"])
def test_every_method_gives_up(method, law):
    """The same sentence from methods that would try again for ever: bdf's steps become zero, and are rejected."""
    if method == "bdf":
        pytest.importorskip("sksundae")
    model, ball = falling(4.905)
    functions = {"sqrt": lambda z: math.sqrt(z - 2.0), "late": too_late}
    model.add(Action(y(ball.at()), functions[law]), name="thrust")
    begun = time.process_time()
    with pytest.raises(SimulationError, match=r"at t = 0\.\d+ s Action 'thrust' returned no finite force") as caught:
        simulate(model, 2.0, method=method)
    error = caught.value
    assert time.process_time() - begun < 20.0
    assert error.elements == ("thrust",) and "body 'ball' is at x 0, y " in str(error)
    place = r"(2|1\.99\d*)\)" if law == "sqrt" else r"4\.7288, -1\.762\d*, 0\.2\d*\): too late"
    assert re.search(rf"Function 'thrust' raises ValueError at \({place}", str(error))
    assert len(error.partial) > 5 and error.partial.times[-1] == pytest.approx(error.time, abs=1e-9)


def too_late(z, rate, t):
    if t > 0.2:
        raise ValueError("too late")
    return 1.0


@pytest.mark.parametrize("method", ["auto", "bdf"])
def test_the_right_one_of_two_functions(method):
    """The first one is always finite, the second one ends at 2 m: it is the second that is named."""
    if method == "bdf":
        pytest.importorskip("sksundae")
    model, ball = falling(4.905)
    model.add(Action(y(ball.at()), lambda z: 0.1 * z), name="first")
    model.add(Action(y(ball.at()), lambda z: math.sqrt(z - 2.0)), name="second")
    with pytest.raises(SimulationError, match="Action 'second' returned no finite force") as caught:
        simulate(model, 2.0, method=method)
    assert caught.value.elements == ("second",)


@pytest.mark.parametrize("method", ["auto", "radau", "bdf"])
def test_a_driver_that_ends(method):
    """1 - sqrt(1 - t) ends at t = 1, with rates that grow without bound before."""
    if method == "bdf":
        pytest.importorskip("sksundae")
    model, _, pin = swinging(0.5 * math.pi)
    model.add(Driver(pin.angle, Function(lambda t: 1.0 - math.sqrt(1.0 - t))), name="motor")
    with pytest.raises(SimulationError, match=r"at t = 1 s Driver 'motor' has no motion beyond.* at \(1\)") as caught:
        simulate(model, 2.0, method=method)
    assert caught.value.elements == ("motor",) and "end the run before with an event" in str(caught.value)
    assert caught.value.time == pytest.approx(1.0, abs=1e-5) and len(caught.value.partial) > 10


def test_a_driver_that_raises():
    """Its rates are fine up to t = 0.2; then it raises."""
    model, _, pin = swinging(0.5 * math.pi)
    model.add(Driver(pin.angle, Function(lambda t: too_late(0.0, 0.0, t) * t**3)), name="motor")
    with pytest.raises(SimulationError, match=r"at t = 0\.2 s Driver 'motor' has no motion.*too late; make") as caught:
        simulate(model, 2.0)
    assert caught.value.elements == ("motor",) and caught.value.time == pytest.approx(0.2, abs=1e-9)


def test_an_event_that_gives_no_number():
    """sqrt(y) below the ground, which a ball from 4.905 m passes at t = 1 s."""
    model, ball = falling(4.905)
    event = Event(lambda z: math.sqrt(z) + 1.0, of=[y(ball.at())], name="gate")
    pattern = r"between t = (\S+) and (\S+) s event 'gate' returned no finite .* raises ValueError at \(-.*; make it"
    with pytest.raises(SimulationError, match=pattern) as caught:
        simulate(model, 3.0, events=[event])
    first, last = map(float, re.match(pattern, str(caught.value)).groups())
    assert first <= 1.0 <= last and caught.value.elements == ("gate",)
    assert caught.value.time == caught.value.partial.times[-1]
    unnamed = Event(lambda z: math.sqrt(z - 10.0), of=[y(ball.at())])
    with pytest.raises(SimulationError, match=r"at t = 0 s the event of '<lambda>' returned no .* at \(4\.905\)"):
        simulate(model, 3.0, events=[unnamed])


def test_a_driver_into_a_lock():
    """A rod of 0.4 on a crank of 0.5 reaches as far as asin(0.8)."""
    model = Model("crank")
    crank = model.add(Body(mass=1.0, inertia=0.1, angle=0.3), name="crank")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="hinge")
    slider = model.add(Body(mass=1.0, inertia=0.1, position=(0.85, 0)), name="slider")
    model.add(Distance(crank.at(0.5, 0), slider.at(), 0.4), name="rod")
    model.add(Driver(y(slider.at()), Ramp(0.0)), name="rail")
    model.add(Driver(hinge.angle, Ramp(1.0, start=0.3)), name="motor")
    with pytest.raises((SimulationError, LockUp)) as caught:
        simulate(model, 2.0)
    assert caught.value.time == pytest.approx(math.asin(0.8) - 0.3, abs=1e-5)
    assert "can no longer be closed" in str(caught.value) or "step became too small" in str(caught.value)


def test_drivers_that_disagree():
    model, _, pin = swinging()
    model.add(Driver(pin.angle, Ramp(1.0)), name="first")
    model.add(Driver(pin.angle, Ramp(2.0)), name="second")
    with pytest.raises(ModelError, match=r"'first' \(angle\) contradicts .* differs by 0.5 rad/s"):
        simulate(model, 1.0)


def test_drivers_that_part_later():
    """Equal until t = 0.5: the second, set aside as redundant, is found broken."""
    model, _, pin = swinging()
    model.add(Driver(pin.angle, Ramp(1.0)), name="first")
    model.add(Driver(pin.angle, Function(lambda t: t + max(t - 0.5, 0.0) ** 4)), name="second")
    with pytest.raises(SimulationError, match=r"at t = 0\.[5-9].* set aside .* contradicts them") as caught:
        simulate(model, 1.0, output=0.05)
    assert caught.value.partial is not None


def test_the_keyboard(monkeypatch):
    """Ctrl-C between two slices: what was computed is kept, and the run can go on to the same end."""
    model = swinging()[0]

    def interrupted(self, done):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "show", interrupted)
        with pytest.raises(Interrupted, match=r"interrupted at t = .* s; .partial has the results so far") as caught:
            simulate(model, 50.0)
    partial = caught.value.partial
    assert partial.stopped is caught.value and len(partial) > 1 and 0.0 < partial.times[-1] < 50.0
    rest = simulate(model, 50.0, start=partial.checkpoint)
    assert rest.q[-1].tolist() == simulate(model, 50.0).q[-1].tolist()


def test_the_keyboard_in_the_compiled_loop(monkeypatch):
    """The same where Ctrl-C is noticed as the loop returns, which is the usual place."""
    model, slices = swinging()[0], []

    def interrupted(*tables):
        slices.append(1)
        if len(slices) == 3:
            raise KeyboardInterrupt
        return run_steps(*tables)

    monkeypatch.setattr("cardan.analysis.forward.advance.run_steps", interrupted)
    with pytest.raises(Interrupted, match=r"interrupted at t = .* s; .partial has the results so far") as caught:
        simulate(model, 50.0)
    partial = caught.value.partial
    assert partial.stopped is caught.value and 0.0 < partial.times[-1] < 50.0
    assert partial.checkpoint is not None and len(partial) == partial.stats.steps + 1

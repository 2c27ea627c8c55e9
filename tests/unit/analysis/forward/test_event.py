"""Events: when they take place, in which order, what their actions do, and how they fail."""

import math
import re

import numpy as np
import pytest

from cardan import Event, ModelError, SimulationError, simulate
from cardan.planar import x, y
from closed_forms import pendulum_period
from simple_motions import G, bouncing, falling, swinging

METHODS = ("auto", "dop853")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("height", [1e-3, 1.0, 500.0])
def test_a_fall_ends_on_the_ground(method, height):
    """t = sqrt(2 h / g): a parabola is integrated exactly, so that the instant is good to rounding."""
    model, ball = falling(height)
    run = simulate(model, 20.0, events=[Event(y(ball.at()), 0.0, "falling")], method=method)
    assert run.times[-1] == pytest.approx(math.sqrt(2 * height / G), rel=1e-12)
    assert abs(run[ball].position[-1, 1]) < 1e-12 * max(height, 1.0)
    assert [h.time for h in run.events] == [run.times[-1]]


def test_several_in_one_step():
    """A free fall is one long step: heights are passed one after the other, in order, though stated otherwise."""
    model, ball = falling(10.0)
    heights = [7.0, 9.0, 1.0, 8.999]
    events = [Event(y(ball.at()), h, action=lambda snapshot: None, name=f"{h}") for h in heights]
    run = simulate(model, 1.4, events=events)
    expected = sorted((math.sqrt(2 * (10.0 - h) / G), f"{h}") for h in heights)
    assert [happening.event.name for happening in run.events] == [name for _, name in expected]
    assert [happening.time for happening in run.events] == pytest.approx([t for t, _ in expected], rel=1e-12)


@pytest.mark.parametrize(("direction", "expected"), [("rising", [0]), ("falling", [1]), ("both", [0, 1])])
def test_direction(direction, expected):
    """A ball thrown up with 5 m/s passes 1 m on its way up and on its way down."""
    model, ball = falling(0.0, velocity=(0, 5.0))
    event = Event(y(ball.at()), 1.0, direction, action=lambda snapshot: None)
    run = simulate(model, 1.0, events=[event])
    root = math.sqrt(25.0 - 2 * G)
    times = (5.0 - root) / G, (5.0 + root) / G
    assert [h.time for h in run.events] == pytest.approx([times[k] for k in expected], rel=1e-12)


def test_of_rate():
    """The top of a throw is where the speed is zero; the run stops there."""
    model, ball = falling(0.0, velocity=(0, 5.0))
    run = simulate(model, 1.0, events=[Event(y(ball.at()), of_rate=True, name="top")])
    assert run.times[-1] == pytest.approx(5.0 / G, rel=1e-12)
    assert run[ball].position[-1, 1] == pytest.approx(12.5 / G, rel=1e-12)


def test_a_function_of_measures():
    """A ball thrown along x crosses the slope y = 1 - x / 2."""
    model, ball = falling(2.0, velocity=(3.0, 0))

    def over(px, py):
        return py - (1.0 - 0.5 * px)

    run = simulate(model, 5.0, events=[Event(over, of=(x(ball.at()), y(ball.at())))])
    root = (1.5 + math.sqrt(1.5**2 + 2 * G)) / G  # 1 + 1.5 t - g t^2 / 2 = 0
    assert run.times[-1] == pytest.approx(root, rel=1e-12)


def test_a_function_of_rates_and_time():
    """vy + 4 t = -2 at t = 2 / (g - 4)."""
    model, ball = falling(100.0)

    def slower(place, rate, t):
        return rate + 4.0 * t

    run = simulate(model, 5.0, events=[Event(slower, -2.0, of=(y(ball.at()),))])
    assert run.times[-1] == pytest.approx(2.0 / (G - 4.0), rel=1e-12)


@pytest.mark.parametrize("output", [0.1, [0.0, 0.2, 0.9]])
def test_a_run_that_stops_ends_with_its_event(output):
    model, ball = falling()
    run = simulate(model, 1.0, output=output, events=[Event(y(ball.at()), 0.5)])
    assert run.times[-1] == pytest.approx(math.sqrt(1.0 / G), rel=1e-12)
    assert run[ball].position[-1, 1] == pytest.approx(0.5, abs=1e-12)


def test_going_on_after_a_stop():
    """The checkpoint of a run that an event stopped stands at the event."""
    model, ball = falling()
    events = [Event(y(ball.at()), 0.5)]
    stopped = simulate(model, 1.0, events=events)
    with pytest.raises(ModelError, match="of a run with other events"):
        simulate(model, 0.4, start=stopped.checkpoint)
    run = simulate(model, 0.4, start=stopped.checkpoint, events=events)
    assert run[ball].position[-1, 1] == pytest.approx(1.0 - 0.5 * G * 0.16, abs=1e-12)


def test_going_on_from_an_event():
    """The snapshot of an event is a start like any other."""
    model, ball = falling()
    first = simulate(model, 1.0, events=[Event(y(ball.at()), 0.5)])
    run = simulate(model, 1.0, start=first.events[-1].snapshot, events=[Event(y(ball.at()), 0.2)])
    assert run.times[0] == first.times[-1]
    assert run.times[-1] == pytest.approx(math.sqrt(1.6 / G), rel=1e-12)


def test_where_a_run_begins_is_no_event():
    """A ball that leaves the ground at t = 0 reaches it once more, at 2 v / g; one that falls from it never."""
    model, ball = falling(0.0, velocity=(0, 5.0))
    run = simulate(model, 3.0, events=[Event(y(ball.at()))])
    assert run.times[-1] == pytest.approx(10.0 / G, rel=1e-12)
    model, ball = falling(0.0)
    assert simulate(model, 1.0, events=[Event(y(ball.at()))]).events == []


def test_an_action_that_stops():
    model, _, pin = swinging()
    seen = []

    def third(snapshot):
        seen.append(snapshot.time)
        return "stop" if len(seen) == 3 else None

    event = Event(pin.angle, -0.5 * math.pi, action=third, name="bottom")
    run = simulate(model, 100.0, rtol=1e-11, events=[event])
    quarter = 0.25 * pendulum_period(math.sqrt(G), 1.0)
    # Error of a few periods at rtol 1e-11.
    assert seen == pytest.approx([quarter, 3 * quarter, 5 * quarter], abs=1e-8)
    assert run.times[-1] == seen[-1] and len(run.events) == 3


@pytest.mark.parametrize("rtol", [1e-10, 1e-11])
def test_once_for_each_passage(rtol):
    """A pendulum stands still twice in each period, and passes its lowest place twice: each is one event."""
    model, _, pin = swinging()
    nothing = {"action": lambda snapshot: None}
    events = [Event(pin.angle, of_rate=True, name="still", **nothing)]
    events.append(Event(pin.angle, -0.5 * math.pi, name="low", **nothing))
    run = simulate(model, 5.2 * pendulum_period(math.sqrt(G), 1.0), rtol=rtol, events=events)
    assert [h.event.name for h in run.events] == ["low", "still"] * 10
    assert np.diff([h.time for h in run.events]).min() > 0.1


@pytest.mark.parametrize("method", METHODS)
def test_a_bouncing_ball(method):
    """Impacts at t1 (1 + 2 e + 2 e^2 + ...), t1 = sqrt(2 h / g); between them parabolas, which are exact."""
    model, ball, ground = bouncing(keeps=0.8)
    run = simulate(model, 3.0, events=[ground], method=method)
    first = math.sqrt(2.0 / G)
    times = first * (1.0 + 2.0 * np.cumsum(0.8 ** np.arange(0, 12)) - 2.0)
    times = times[times < 3.0]
    assert len(run.events) == times.size > 5
    assert [h.time for h in run.events] == pytest.approx(times, rel=1e-10)
    last = times.size
    height, speed, t = 0.0, 0.8**last * math.sqrt(2 * G), 3.0 - times[-1]
    assert run[ball].position[-1, 1] == pytest.approx(height + speed * t - 0.5 * G * t * t, abs=1e-9)


def test_an_impact_on_a_joint():
    """A new velocity that the pin forbids in part: momentum decides, as in a blow on a pendulum (I w = r x p)."""
    model, bob, pin = swinging(0.3)
    object.__setattr__(bob, "inertia", 0.4)

    def blow(snapshot):
        return {bob: {"velocity": (2.0, 5.0), "angular_velocity": 0.0}}

    event = Event(pin.angle, -0.5 * math.pi, "falling", action=blow)
    run = simulate(model, 2.0, events=[event])
    after = run.times > run.events[0].time
    energy = run.energy.kinetic + run.energy.potential
    assert np.ptp(energy[after]) < 1e-6
    # At the bottom the blow 1 kg (2, 5) m/s has the moment 2 about the pin, and the inertia there is 1.4.
    assert energy[after][0] - run.energy.potential.min() == pytest.approx(0.5 * 2.0**2 / 1.4, rel=1e-5)


@pytest.mark.parametrize("keeps", [0.9, 0.95])
def test_a_ball_does_not_fall_through_the_ground(keeps):
    """Between impacts steps may be as long as the run: each impact is found all the same."""
    model, ball, ground = bouncing(keeps=keeps)
    end = math.sqrt(2.0 / G) * (1.0 + 2.0 * (keeps - keeps**8) / (1.0 - keeps) + keeps**8)
    run = simulate(model, end, events=[ground])
    assert len(run.events) == 8 and run[ball].position[:, 1].min() > -1e-9


def test_chattering_is_rejected():
    """Bounces with e = 0.1 have an end in time: infinitely many before it."""
    model, _, ground = bouncing(keeps=0.1)
    with pytest.raises(SimulationError, match="event 'ground' chatters: it occurred 200 times") as caught:
        simulate(model, 10.0, events=[ground])
    end = math.sqrt(2.0 / G) * (1.0 + 2.0 * 0.1 / 0.9)
    assert caught.value.time == pytest.approx(end, rel=1e-6)
    assert "let its action stop the run" in str(caught.value) and len(caught.value.partial) > 1


def test_an_action_that_raises():
    model, ball = falling()

    def broken(snapshot):
        raise ValueError("no such thing")

    event = Event(y(ball.at()), 0.5, action=broken, name="half-way")
    with pytest.raises(SimulationError, match=r"the action of event 'half-way' raised ValueError\('no") as caught:
        simulate(model, 1.0, events=[event])
    assert caught.value.time == pytest.approx(math.sqrt(1.0 / G), rel=1e-12) and len(caught.value.partial) > 0


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (3.0, "must return None, 'stop', a dictionary of bodies or a Change, got 3.0"),
        ("halt", "must return None, 'stop', a dictionary of bodies or a Change, got 'halt'"),
        ({"velocity": (1, 2)}, "velocity"),
    ],
)
def test_an_action_that_returns_something_else(answer, message):
    model, ball = falling()
    event = Event(y(ball.at()), 0.5, action=lambda snapshot: answer, name="half-way")
    with pytest.raises(ModelError, match=re.escape(message)):
        simulate(model, 1.0, events=[event])


@pytest.mark.parametrize("velocity", [(1.0,), (1.0, float("nan")), "fast"])
def test_an_action_that_returns_no_velocity(velocity):
    model, ball = falling()
    event = Event(y(ball.at()), 0.5, action=lambda s: {ball: {"velocity": velocity}}, name="half-way")
    with pytest.raises(ModelError, match="the velocity that the action of event 'half-way' returned"):
        simulate(model, 1.0, events=[event])


def test_bad_events():
    model, ball = falling()
    height = y(ball.at())
    with pytest.raises(ModelError, match="direction of an Event must be 'both', 'rising' or 'falling', got 'down'"):
        Event(height, 0.0, "down")
    with pytest.raises(ModelError, match="action of an Event must be a function, got int 3"):
        Event(height, action=3)
    with pytest.raises(ModelError, match="an Event takes a measure, or a function together with of="):
        Event(lambda z: z)
    with pytest.raises(ModelError, match="an Event of a function has no of_rate"):
        Event(lambda z: z, of=(height,), of_rate=True)
    with pytest.raises(ModelError, match="its terms cancel"):
        Event(height - height)
    with pytest.raises(ModelError, match="an event of simulate\\(\\) must be an Event, got"):
        simulate(model, 1.0, events=[height])


def test_an_event_function_that_fails():
    model, ball = falling()

    def root(z):
        return math.sqrt(z - 0.5)

    event = Event(root, -1.0, of=(y(ball.at()),), name="root")
    with pytest.raises(SimulationError, match="event 'root' returned no finite value, or its function") as caught:
        simulate(model, 1.0, events=[event])
    assert len(caught.value.partial) > 0

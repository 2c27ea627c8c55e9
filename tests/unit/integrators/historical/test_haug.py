"""Haug's methods: what they choose, control, keep and reject."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cardan import Event, ModelError, SimulationError, simulate
from cardan.analysis.forward.advance import new_run
from cardan.analysis.forward.state import Run, Settings
from cardan.errors import CardanError
from cardan.integrators.historical import adams
from cardan.integrators.historical.haug import haug_memory
from cardan.methods.historical import Direct, Partitioning
from cardan.numerics.compiled.jit import kernel
from cardan.planar import Body, Distance, Model, Revolute, x, y
from cardan.system.compile import compile
from cardan.system.mechanism import choose_coordinates, error_tolerances
from closed_forms import pendulum as pendulum_motion

METHODS = ("partition", "direct", "baumgarte", "hybrid")


def swing(speed: float = 0.0) -> Model:
    """A rigid bar, horizontal at first, on a hinge."""
    model = Model("pendulum", gravity=(0, -9.81))
    place = {"position": (1.0, 0.0), "velocity": (0.0, speed), "angular_velocity": speed}
    bob = model.add(Body(mass=1.0, **place), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    return model


def error_of(run) -> float:
    """How far the bob of a pendulum from the horizontal is from the closed form, at most."""
    angle = pendulum_motion(run.times, np.sqrt(9.81), np.pi / 2).value
    return float(np.abs(run["bob"].position - np.stack([np.sin(angle), -np.cos(angle)], axis=1)).max())


def prepared(model: Model, settings: Settings) -> Run:
    system = compile(model, forces=True)
    return new_run(system, (system.start, system.speeds(), system.reference, 0.0), settings)


@kernel
def chosen(mechanism, t, y, control):
    return choose_coordinates(mechanism, t, y, control)


@kernel
def tolerances(mechanism, t, atol, rtol):
    return error_tolerances(mechanism, t, atol, rtol)


class TestPartition:
    @pytest.mark.parametrize(("degrees", "independent"), [(5.0, "y"), (40.0, "y"), (50.0, "x"), (85.0, "x")])
    def test_the_coordinate_that_moves_more_is_independent(self, degrees, independent):
        """On a circle dx : dy = -y : x; below 45 degrees y moves more, above it x. The free angle is independent."""
        model = Model("stone", gravity=(0, -9.81))
        a = np.radians(degrees)
        stone = model.add(Body(mass=1.0, inertia=1.0, position=(np.cos(a), np.sin(a))), name="stone")
        model.add(Distance(model.ground.at(), stone.at(), 1.0), name="rod")
        run = prepared(model, Settings(Partitioning(), 1e-8))
        control = np.zeros_like(run.stepper.y)
        assert chosen(run.operations, 0.0, run.stepper.y, control) == 0
        expected = [independent == "x", independent == "y", 1]
        assert run.machine.partition.held.tolist() == expected
        assert control[3:6].tolist() == control[9:12].tolist() == expected  # of q and of v, after ground's three
        assert not control[:3].any() and not control[6:9].any() and not control[12:].any()

    def test_tolerances_of_positions_do_not_grow_with_them(self):
        run = prepared(swing(), Settings(Direct(), 1e-6))
        atol, rtol = np.ones_like(run.stepper.y), np.ones_like(run.stepper.y)
        assert tolerances(run.operations, 0.0, atol, rtol) == 0
        assert not rtol[:6].any() and np.all(rtol[9:12] == 1e-6) and atol[5] == pytest.approx(1e-6)
        assert np.all(atol[:3] == 0.0) and np.all(atol[6:9] == 0.0)  # ground is not controlled

    def test_memory_knows_its_method(self):
        assert haug_memory("hybrid", 5).notes.partitioned == 1 and haug_memory("direct", 5).notes.partitioned == 0
        memory = haug_memory("direct", 5, 3, fixed=True)
        assert memory.notes.started == 0 and memory.counters.rule == adams.FIXED and memory.counters.highest_order == 3


class TestDrift:
    def test_direct_stops_where_constraints_are_lost(self):
        with pytest.raises(SimulationError, match="'pin' .* is open by .* 'direct' does not enforce it; use") as stop:
            simulate(swing(), 300.0, output=0.1, method="direct", rtol=1e-4)
        assert stop.value.elements == ("pin",) and 0.0 < stop.value.time < 300.0
        assert stop.value.partial.violations().max() < 2e-3  # the limit is 1e-3 of the length, which here is 1 m

    def test_notes_report_what_the_result_shows(self):
        run = simulate(swing(), 2.0, method="direct", rtol=1e-6)
        told = float(run.stats.notes[0].split("up to ")[1].split()[0])
        worst = float(run.violations().max())
        assert 1e-8 < worst < 1e-4 and told == pytest.approx(worst, rel=0.06)  # it is told with two digits
        assert "constraints drifted by up to" in repr(run)

    def test_outputs_sampled_steps_do_not_hide_it(self):
        run = simulate(swing(), 2.0, output=0.01, method="direct", rtol=1e-6)
        assert 1e-8 < run.violations().max() < 1e-4

    @pytest.mark.parametrize(("method", "most"), [("partition", 1e-12), ("hybrid", 1e-5), ("baumgarte", 1e-4)])
    def test_the_others_hold_them(self, method, most):
        """`partition` to Newton's 1e-13 of the length; `hybrid` to about ten tolerances, as it corrects from one on."""
        run = simulate(swing(), 20.0, output=0.1, method=method, rtol=1e-6)
        assert run.violations().max() < most

    def test_stronger_stabilization_holds_more(self):
        weak, strong = (simulate(swing(), 5.0, method="baumgarte", rtol=1e-7, alpha=a, beta=a) for a in (1.0, 10.0))
        assert strong.violations().max() < 0.5 * weak.violations().max()


@pytest.mark.parametrize("method", METHODS)
class TestRuns:
    def test_an_event_that_changes_nothing(self, method):
        """Adams starts again eight times, and is none the worse."""
        model = swing()
        event = Event(x(model["bob"].at()), 0.0, action=lambda snapshot: None)
        run = simulate(model, 10.0, output=0.1, rtol=1e-10, method=method, events=[event])
        quarter = 1.8540746773013719 / np.sqrt(9.81)  # K(1/2), from horizontal to vertical
        assert len(run.events) == 8 and run.events[0].time == pytest.approx(quarter, abs=1e-9)
        assert error_of(run) < 1e-7

    def test_an_event_that_throws_back(self, method):
        """At the lowest point the velocity is reversed: it never gets to the other side, and keeps its energy."""
        model = swing()
        bob = model["bob"]

        def back(snapshot):
            velocity = -np.asarray(snapshot[bob].velocity)
            return {bob: {"velocity": tuple(velocity), "angular_velocity": -snapshot[bob].angular_velocity}}

        event = Event(x(bob.at()), 0.0, "falling", action=back)
        run = simulate(model, 2.0, output=0.05, rtol=1e-9, method=method, events=[event])
        quarter = 1.8540746773013719 / np.sqrt(9.81)
        assert [h.time for h in run.events] == pytest.approx([quarter, 3 * quarter], abs=1e-7)
        assert run["bob"].position[:, 0].min() > -1e-9 and run.energy.drift < 1e-7

    def test_an_event_ends_the_run(self, method):
        model = swing()
        run = simulate(model, 5.0, rtol=1e-9, method=method, events=[Event(y(model["bob"].at()), -0.5, "falling")])
        assert run["bob"].position[-1, 1] == pytest.approx(-0.5, abs=1e-10)

    def test_going_on_from_a_checkpoint(self, method):
        """To the last digit, because the memory of Adams is kept."""
        whole, half = (simulate(swing(8.0), end, output=0.5, rtol=1e-8, method=method) for end in (2.0, 1.0))
        rest = simulate(swing(8.0), 2.0, output=0.5, rtol=1e-8, method=method, start=half.checkpoint)
        for name in ("q", "v", "a", "work"):
            assert np.array_equal(getattr(rest, name), getattr(whole, name)[2:])

    @pytest.mark.parametrize("order", [2, 3])
    def test_fixed_order_and_step(self, method, order):
        """Predictor of order k and corrector of order k + 1: with half the step the error falls to 1 / 2^(k + 1).

        rtol has no say, except where the hybrid method corrects: here always.
        """
        errors = []
        for step in (0.005, 0.0025):
            run = simulate(
                swing(), 1.0, output=[0.5, 1.0], method=method, step=step, fixed=True, order=order, rtol=1e-13
            )
            assert run.stats.steps == round(1.0 / step) and run.stats.rejected == 0
            errors.append(error_of(run))
        assert 0.75 * 2 ** (order + 1) < errors[0] / errors[1] < 1.5 * 2 ** (order + 1)

    def test_a_lower_order_takes_more_steps(self, method):
        low, high = (simulate(swing(), 2.0, method=method, rtol=1e-9, order=order) for order in (3, 12))
        assert low.stats.steps > 2 * high.stats.steps and error_of(low) < 1e-6


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"alpha": 2.0}, "method 'auto' has no option alpha; it has max_step"),
            ({"method": "partition", "beta": 2.0}, "method 'partition' has no option beta"),
            ({"method": "dop853", "order": 4}, "method 'dop853' has no option order"),
            ({"method": "bdf", "fixed": True, "step": 0.1}, "method 'bdf' has no option step"),
            ({"method": "direct", "fixed": True}, "fixed=True asks for a step"),
            ({"method": "direct", "order": 13}, "order of Direct must be 12 at most, got 13"),
            ({"method": "direct", "order": 0}, "order of Direct must be a whole number above zero"),
            ({"method": "direct", "fixed": "yes", "step": 0.1}, "fixed must be True or False"),
            ({"method": "baumgarte", "alpha": -1.0}, "alpha of Baumgarte must be positive, got -1"),
        ],
    )
    def test_options(self, options, message):
        with pytest.raises(ModelError, match=message):
            simulate(swing(), 1.0, **options)

    def test_another_method_cannot_go_on(self):
        checkpoint = simulate(swing(), 1.0, method="direct").checkpoint
        with pytest.raises(ModelError, match="continues by 'direct', not by 'hybrid': omit the method"):
            simulate(swing(), 2.0, method="hybrid", start=checkpoint)
        assert simulate(swing(), 2.0, start=checkpoint).times[-1] == 2.0

    def test_a_model_too_large_to_choose_in(self, monkeypatch):
        monkeypatch.setattr("cardan.system.cartesian.mechanism_tables.MAX_FULL_MATRIX", 5)
        with pytest.raises(ModelError, match="too large for methods 'partition' and 'hybrid'.* 2 rows and 3 columns"):
            simulate(swing(), 1.0, method="partition")

    def test_bdf_without_its_package(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sksundae", None)
        with pytest.raises(CardanError, match="pip install 'cardan.bdf.'"):
            simulate(swing(), 1.0, method="bdf")

    def test_bdf_knows_no_events_and_no_checkpoints(self):
        pytest.importorskip("sksundae")
        model = swing()
        with pytest.raises(ModelError, match="'bdf' .* without events"):
            simulate(model, 1.0, method="bdf", events=[Event(x(model["bob"].at()))])
        checkpoint = simulate(model, 1.0).checkpoint
        with pytest.raises(ModelError, match="'bdf' cannot continue from a checkpoint"):
            simulate(model, 2.0, method="bdf", start=checkpoint)

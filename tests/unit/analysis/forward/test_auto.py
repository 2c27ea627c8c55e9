"""Method "auto": the change to radau, with events, failures and checkpoints among the steps of a trial."""

import warnings

import numpy as np
import pytest

from cardan import CardanWarning, Event, ModelError, simulate
from cardan.analysis.forward import advance as forward
from cardan.analysis.forward.auto import TRIAL
from cardan.analysis.forward.stalling import MANY
from cardan.integrators.stepper import FAILED
from cardan.integrators.stepping import run_steps
from cardan.planar import Action, Harmonic, Load, angle, x, y
from cardan.results.simulation import Checkpoint
from machines import stiff_oscillator
from simple_motions import G, falling


@pytest.mark.parametrize("stops", [True, False])
def test_events_of_stiff_models(stops):
    """The bob on a stiff spring passes below its hinge: radau is taken, and finds the instant of an explicit run.

    Errors of the position at rtol 1e-9 are some 1e-8 m at 4 m/s; the explicit run is a hundred times as exact.
    """
    model = stiff_oscillator()
    event = Event(x(model["bob"].at()), 0.0, "falling", action=None if stops else lambda snapshot: None)
    run = simulate(model, 2.0, rtol=1e-9, events=[event])
    exact = simulate(model, 1.0, rtol=1e-11, method="dop853", events=[Event(x(model["bob"].at()), 0.0, "falling")])
    assert any("to radau because of stiff forces" in note for note in run.stats.notes)
    assert [happening.time for happening in run.events] == pytest.approx([exact.times[-1]], abs=2e-9)
    assert run.times[-1] == (run.events[0].time if stops else 2.0)


def test_events_during_a_trial():
    """An event that takes place every 10 ms falls among the first steps of radau; all of them are found.

    The bob, whose turning nothing holds, is a clock: at 20 pi rad/s five times its angle passes pi each 10 ms.
    """
    model, seen = stiff_oscillator(), []
    object.__setattr__(model["bob"], "angular_velocity", 20.0 * np.pi)
    turn = angle(model.ground.at(), model["bob"].at())
    event = Event(lambda a: np.sin(5.0 * a), of=[turn], action=lambda snapshot: seen.append(snapshot.time))
    run = simulate(model, 0.205, rtol=1e-7, events=[event])
    changed = [float(note.split()[3]) for note in run.stats.notes if "to radau" in note]
    assert changed
    steps = run.times[run.times > changed[0]][:TRIAL]
    assert any(steps[0] <= time <= steps[-1] for time in seen)
    assert seen == pytest.approx(0.01 * np.arange(1, 21), abs=1e-9)


def test_a_trial_that_fails_is_harmless(monkeypatch):
    """Radau that cannot take a step leaves no trace: the explicit method goes on from where it was."""
    model, tried = stiff_oscillator(), []

    def failing(mechanism, method, stepper, record, budget, to_the_end):
        if budget > 1:
            return run_steps(mechanism, method, stepper, record, budget, to_the_end)
        tried.append(float(stepper.clock.now))
        stepper.y[:], stepper.dy[:], stepper.clock.now = np.nan, np.nan, 17.0
        stepper.counters.steps += 1
        return FAILED

    with monkeypatch.context() as patch:
        patch.setattr(forward, "run_steps", failing)
        run = simulate(model, 0.5, rtol=1e-7, output=0.1)
    explicit = simulate(model, 0.5, rtol=1e-7, output=0.1, method="dop853")
    assert tried and not run.stats.notes
    assert np.abs(run["bob"].position - explicit["bob"].position).max() < 1e-6


class TestCheckpoints:
    @pytest.mark.parametrize("stop", [1.3, 1.38, 2.0, 3.0])
    def test_a_run_that_changed_to_radau(self, stop, tmp_path):
        """To the last digit, with further trials before, around (1.38 s) and after the checkpoint."""
        model = stiff_oscillator()
        whole = simulate(model, 6.0, rtol=1e-7, output=[6.0])
        first = simulate(model, stop, rtol=1e-7, output=[stop])
        assert any("radau" in note for note in first.stats.notes)
        first.checkpoint.save(tmp_path / "run.npz")
        second = simulate(model, 6.0, rtol=1e-7, output=[6.0], start=Checkpoint.load(tmp_path / "run.npz"))
        for name in ("q", "v", "a", "work"):
            assert (getattr(second, name)[-1] == getattr(whole, name)[-1]).all(), name
        assert second.stats.steps == whole.stats.steps

    def test_one_lies_in_a_trial(self):
        """Otherwise the test above would say less than it does."""
        checkpoint = simulate(stiff_oscillator(), 1.38, rtol=1e-7, output=[1.38]).checkpoint
        assert checkpoint.method == "dop853" and checkpoint.numbers["choice"][4] > 0

    def test_no_machine_code(self):
        """Addresses are others in another process."""
        checkpoint = simulate(stiff_oscillator(), 2.0, rtol=1e-7).checkpoint
        assert checkpoint.method == "radau" and "memory.z" in checkpoint.numbers
        assert not any("address" in name for name in checkpoint.numbers)

    def test_no_false_warning(self):
        """Steps taken before a checkpoint do not make the first ones after it look like a crawl to a distant end."""
        model, ball = falling()
        model.add(Load(ball.at(), (Harmonic(1.0, 1.5e4), 0.0)), name="hum")
        below = Event(y(ball.at()), -4.5, "falling")  # at t = 1.06 s
        first = simulate(model, 1.0, output=[1.0], events=[below])
        assert first.stats.steps > 2 * MANY
        with warnings.catch_warnings():
            warnings.simplefilter("error", CardanWarning)
            rest = simulate(model, 1000.0, events=[below], start=first.checkpoint)
        assert rest.times[-1] == pytest.approx((11.0 / G) ** 0.5, abs=1e-8)

    def test_a_function_was_changed(self):
        """Another number in its code, or in a variable that it names."""
        checkpoint = simulate(pushed(2.0), 1.0).checkpoint
        assert simulate(pushed(2.0), 2.0, start=checkpoint).times[-1] == 2.0
        with pytest.raises(ModelError, match="the function of Action 'push', or a number that it uses, has changed"):
            simulate(pushed(3.0), 2.0, start=checkpoint)
        with pytest.raises(ModelError, match="the function of Action 'push', or a number that it uses, has changed"):
            simulate(pushed(2.0, lambda z: -2.5 * z), 2.0, start=checkpoint)


def pushed(strength, law=None):
    """A ball that a function of the user's holds."""
    model, ball = falling()
    model.add(Action(x(ball.at()), law or (lambda z: -strength * z)), name="push")
    return model

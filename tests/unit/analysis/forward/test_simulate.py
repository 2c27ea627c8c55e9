"""simulate(): its outputs, checkpoints, starts and options."""

import math
import re

import numpy as np
import pytest

from cardan import AssemblyError, ModelError, assemble, equilibrium, simulate
from cardan.planar import Body, Distance, Driver, Impact, Model, Ramp, Revolute, Spring, Translational, x, y
from cardan.results.simulation import Checkpoint
from closed_forms import pendulum
from folding import folded
from simple_motions import G, falling, spinning, swinging

METHODS = ("auto", "dop853")


class TestOutputs:
    def test_interval(self):
        """0.3 s does not divide 1 s: the end is one more instant."""
        run = simulate(falling()[0], 1.0, output=0.3)
        assert run.times.tolist() == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])

    @pytest.mark.parametrize("interval", [0.1, 0.01, 1 / 3])
    def test_interval_that_fits(self, interval):
        """0.1 is no binary number, but ten of them are 1 s: no instant twice, and the end is the end."""
        run = simulate(falling()[0], 1.0, output=interval)
        assert len(run) == round(1 / interval) + 1 and run.times[-1] == pytest.approx(1.0, abs=1e-15)
        assert np.diff(run.times).min() > 0.5 * interval

    def test_list(self):
        wanted = [0.1, 0.25, 0.7]
        run = simulate(swinging()[0], 1.0, output=wanted)
        assert run.times.tolist() == wanted

    def test_every_step(self):
        run = simulate(swinging()[0], 1.0)
        assert run.times[0] == 0.0 and run.times[-1] == 1.0 and len(run) == run.stats.steps + 1

    @pytest.mark.parametrize("method", METHODS)
    def test_more_instants_than_the_record_holds_at_first(self, method):
        run = simulate(swinging()[0], 1.0, step=5e-4, method=method)
        assert len(run) >= 2001 and np.diff(run.times).max() <= 5e-4 * (1 + 1e-9)

    @pytest.mark.parametrize("method", METHODS)
    def test_outputs_do_not_change_the_motion(self, method):
        """Steps are the integrator's own; what is wanted lies between them."""
        model = swinging()[0]
        ends = [simulate(model, 2.0, output=o, method=method).q[-1] for o in (None, 0.5, 1e-3, [0.1, 2.0])]
        assert all((end == ends[0]).all() for end in ends)

    @pytest.mark.parametrize("method", METHODS)
    def test_sampled_steps_the_motion_is_as_good(self, method):
        """Dense output is of seventh order: at rtol 1e-10 it errs as steps do, below 1e-8 rad here."""
        model, _, pin = swinging()
        run = simulate(model, 3.0, output=0.01, rtol=1e-10, method=method)
        exact = pendulum(run.times, math.sqrt(G), 1.0)
        assert np.abs(run[pin.angle].value - (exact.value - 0.5 * math.pi)).max() < 1e-8
        assert np.abs(run[pin.angle].rate - exact.rate).max() < 1e-7

    @folded(
        ("output", "message"),
        [
            (2.0, "output = 2 s is longer than the run of 1 s"),
            (-0.1, "output must be positive, got -0.1"),
            (1e-12, "output = 1e-12 s makes more than 1e8 output times"),
            ([0.0, 2.0], "output requests times from 0 to 2 s, but the run goes from 0 to 1 s"),
            ([0.5, 0.2], "must increase, but 0.2 follows 0.5"),
            ([], "at least one time"),
            ("often", "must be a list of numbers, got 'often'"),
            (float("nan"), "output must be finite, got nan"),
        ],
    )
    def test_bad_output(self, output, message):
        with pytest.raises(ModelError, match=re.escape(message)):
            simulate(falling()[0], 1.0, output=output)


class TestCheckpoints:
    @pytest.mark.parametrize("method", METHODS)
    def test_going_on_is_as_if_it_had_not_stopped(self, method, tmp_path):
        """To the last digit, through a file, with a spring, a torque and turns of an angle that must be remembered."""
        model = spinning()
        whole = simulate(model, 4.0, output=[1.0, 2.5, 4.0], method=method)
        first = simulate(model, 2.5, output=[1.0, 2.5], method=method)
        first.checkpoint.save(tmp_path / "run.npz")
        again = Checkpoint.load(tmp_path / "run.npz")
        second = simulate(model, 4.0, output=[4.0], method=method, start=again)
        assert again.time == 2.5 and second.times.tolist() == [4.0]
        for name in ("q", "v", "a", "work", "turns"):
            assert (getattr(second, name)[-1] == getattr(whole, name)[-1]).all(), name
        assert second.stats.steps == whole.stats.steps

    def test_every_step(self):
        """Without outputs the steps of both parts are those of the whole."""
        model = swinging()[0]
        whole, first = simulate(model, 3.0), simulate(model, 1.5)
        second = simulate(model, 3.0, start=first.checkpoint)
        assert second.q[-1].tolist() == whole.q[-1].tolist()
        assert set(second.times[second.times > 1.5]) <= set(whole.times)

    @pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
    @pytest.mark.parametrize("step, bound", [(1 / 64, 0.0), (1e-3, 1e-11)])
    def test_a_step_that_ends_at_the_end(self, method, step, bound):
        """No step is cut short, and the run can go on all the same.

        64 steps of 1/64 s are 1 s to the last digit; 1 ms is no binary number, and the last of 1000 steps makes up for
        what is missing.
        """
        model = swinging()[0]
        whole, first = (simulate(model, end, method=method, step=step, output=[end]) for end in (2.0, 1.0))
        assert first.checkpoint is not None and first.checkpoint.time == 1.0
        second = simulate(model, 2.0, method=method, step=step, output=[2.0], start=first.checkpoint)
        assert second.stats.steps == whole.stats.steps
        assert np.abs(second.q[-1] - whole.q[-1]).max() <= bound

    def test_energy_goes_on(self):
        model = spinning()
        first = simulate(model, 1.0)
        run = simulate(model, 2.0, start=first.checkpoint)
        assert run.energy.work[-1] == simulate(model, 2.0).energy.work[-1]

    def test_another_model(self):
        checkpoint = simulate(swinging()[0], 1.0).checkpoint
        with pytest.raises(ModelError, match="the checkpoint is of model 'pendulum' by dop853, not of 'fall'"):
            simulate(falling()[0], 2.0, start=checkpoint)

    def test_the_model_was_changed(self):
        checkpoint = simulate(swinging()[0], 1.0).checkpoint
        model, bob, _ = swinging()
        model.add(Spring(x(bob.at()), 1.0, rest_length=0.0), name="spring")
        with pytest.raises(ModelError, match="checkpoint is of another version of model 'pendulum'"):
            simulate(model, 2.0, start=checkpoint)

    def test_no_checkpoint(self, tmp_path):
        for name, content in (("text.npz", b"nothing"), ("other.npz", b"PK")):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(ModelError, match=f"{name}' is not a checkpoint of a simulation"):
                Checkpoint.load(tmp_path / name)
        np.savez(tmp_path / "result.npz", a=np.zeros(3))
        with pytest.raises(ModelError, match="result.npz' is not a checkpoint"):
            Checkpoint.load(tmp_path / "result.npz")
        with pytest.raises(ModelError, match="is not a checkpoint"):
            Checkpoint.load(tmp_path / "missing.npz")

    def test_an_empty_file(self, tmp_path):
        (tmp_path / "empty.npz").write_bytes(b"")
        with pytest.raises(ModelError, match="empty.npz' is not a checkpoint of a simulation"):
            Checkpoint.load(tmp_path / "empty.npz")

    def test_it_must_go_forward(self):
        model = swinging()[0]
        with pytest.raises(ModelError, match=r"must end after it begins, at t = 1 s, got until = 0\.5"):
            simulate(model, 0.5, start=simulate(model, 1.0).checkpoint)


class TestStarts:
    @pytest.mark.parametrize("method", METHODS)
    def test_from_another_run(self, method):
        """A run from the middle of another one ends where that ends: quintic interpolation between instants 0.01 s
        apart errs by less than 1e-9, and so does the run."""
        model, bob, _ = swinging()
        whole = simulate(model, 2.0, output=0.01, rtol=1e-11, method=method)
        for moment in (1.0, 1.0537):
            run = simulate(model, 2.0, start=whole.at(moment), rtol=1e-11, method=method)
            assert run.times[0] == moment and run.times[-1] == 2.0
            assert np.abs(run[bob].position[-1] - whole[bob].position[-1]).max() < 1e-8

    def test_from_a_snapshot_with_turns(self):
        """The coil remembers the turns of the wheel."""
        model = spinning()
        whole = simulate(model, 1.0, output=0.01, rtol=1e-11)
        assert whole[model["hinge"].angle].value[50] > 2 * math.pi
        run = simulate(model, 1.0, start=whole.at(0.5), rtol=1e-11)
        assert run[model["hinge"].angle].value[-1] == pytest.approx(whole[model["hinge"].angle].value[-1], abs=1e-8)

    @pytest.mark.parametrize("hard", [False, True])
    def test_from_rest_with_a_driver_at_speed(self, hard):
        """A car that rests on its springs and is driven: it starts with the stated spin of its wheel."""
        model = Model("car", gravity=(0.0, -G))
        cart = model.add(Body(mass=1.0, inertia=1.0), name="cart")
        wheel = model.add(Body(mass=1.0, inertia=0.1, angular_velocity=-20.0), name="wheel")
        up = {"angle": math.pi / 2.0}
        rail = model.add(Translational(model.ground.at(), cart.at()), name="rail")
        hub = model.add(Body(mass=1.0, inertia=1.0), name="hub")
        strut = model.add(Translational(cart.at(**up), hub.at(**up)), name="strut")
        model.add(Revolute(hub.at(), wheel.at()), name="axle")
        model.add(Spring(strut.travel, 100.0, rest_length=0.0), name="spring")
        model.add(Driver(rail.travel, Ramp(10.0)), name="speed")
        if hard:
            model.add(Impact(y(wheel.at()), 0.0, below=-1.0), name="floor")
        run = simulate(model, 0.5, start=equilibrium(model))
        assert run[wheel].angular_velocity == pytest.approx(-20.0, abs=1e-9)
        assert run[wheel].velocity[0] == pytest.approx([10.0, 0.0], abs=1e-12)
        assert run[strut.travel].value == pytest.approx(-2.0 * G / 100.0, abs=1e-9)

    def test_assembled(self):
        """assemble() says nothing of velocities: the run begins as bodies state; equilibrium() is a place of rest."""
        model, bob, _ = swinging()
        object.__setattr__(bob, "velocity", (1.0, 1.0))
        run, whole = simulate(model, 0.5, start=assemble(model)), simulate(model, 0.5)
        assert np.abs(run[bob].velocity[0]).max() > 0.5
        assert run[bob].velocity[0] == pytest.approx(whole[bob].velocity[0], abs=1e-12)
        rest = simulate(model, 0.5, start=equilibrium(model))
        assert np.abs(rest[bob].velocity).max() < 1e-6

    def test_stated_velocities_are_made_consistent(self):
        """(3, 1) m/s at the end of a rod along x: the part along the rod is none, the rest turns the rod."""
        model = Model("pendulum", gravity=(0, -G))
        bob = model.add(Body(mass=1.0, position=(1, 0), velocity=(3.0, 1.0), angular_velocity=1.0), name="bob")
        model.add(Revolute(model.ground.at(), bob.at(-1, 0)), name="pin")
        run = simulate(model, 0.1)
        assert run[bob].velocity[0] == pytest.approx([0.0, 1.0], abs=1e-12)
        assert run[bob].angular_velocity[0] == pytest.approx(1.0)

    def test_another_model(self):
        with pytest.raises(ModelError, match="'pendulum'"):
            simulate(falling()[0], 1.0, start=assemble(swinging()[0]))

    def test_what_does_not_close(self):
        model, bob, _ = swinging()
        model.add(Distance(model.ground.at(5, 0), bob.at(), 1.0), name="rod")
        with pytest.raises(AssemblyError, match="'rod' by"):
            simulate(model, 1.0)


class TestOptions:
    @folded(
        ("options", "message"),
        [
            ({"method": "rk4"}, "the method of simulate() must be"),
            ({"rtol": 1e-20}, "rtol must lie between 1e-13 and 0.1, got 1e-20"),
            ({"rtol": 0.5}, "rtol must lie between 1e-13 and 0.1, got 0.5"),
            ({"rtol": -1e-8}, "rtol must be positive, got -1e-08"),
            ({"rtol": "fine"}, "rtol must be a number, got 'fine'"),
            ({"atol": 0.0}, "atol must be positive, got 0"),
            ({"step": -0.1}, "max_step of Auto must be positive, got -0.1"),
            (
                {"method": "partition", "order": False},
                "Partitioning must be a whole number above zero, got False",
            ),
            ({"method": "hht", "alpha": False}, "alpha of HHT must be a number, got False"),
            ({"method": "generalized-alpha", "rho": False}, "rho of GeneralizedAlpha must be a number, got False"),
            ({"method": "partition", "fixed": 0, "step": 0.1}, "fixed must be True or False, got 0"),
            ({"rank_tolerance": 5}, "rank_tolerance must lie between 0 and 1, as the square of a sine, got 5"),
            ({"rank_tolerance": False}, "rank_tolerance must be a number, got False"),
            ({"coordinates": "polar"}, "coordinates must be"),
            ({"start": 3.0}, "start must be a Snapshot or Checkpoint, got float 3.0; assemble() gives one"),
        ],
    )
    def test_bad_options(self, options, message):
        with pytest.raises(ModelError, match=re.escape(message)):
            simulate(falling()[0], 1.0, **options)

    @folded("until", [0.0, -1.0, float("nan"), float("inf"), "later", None])
    def test_bad_end(self, until):
        with pytest.raises(ModelError, match="simulate\\(\\)"):
            simulate(falling()[0], until)

    def test_no_model(self):
        with pytest.raises(ModelError, match="the model of simulate\\(\\) must be a Model, got int 3"):
            simulate(3, 1.0)
        with pytest.raises(ModelError, match="model 'empty' is empty: it has no body to move"):
            simulate(Model("empty"), 1.0)

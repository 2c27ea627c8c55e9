"""Environments: gymnasium's own checks, known motions, and many at once as one after the other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from cardan.gym import CartPole, Leg, VectorEnvironment  # noqa: E402


@pytest.mark.parametrize("kind", [CartPole, Leg])
def test_gymnasium_accepts_it(kind):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|spec|Box|recommend).*")
        check_env(kind(), skip_render_check=True)


@pytest.mark.parametrize("name", ["CartPole", "Leg"])
def test_environments_are_registered(name):
    env = gymnasium.make(f"cardan/{name}-v0")
    observation, _ = env.reset(seed=3)
    assert env.observation_space.contains(observation)


def test_the_cart_accelerates_as_in_the_equations_of_motion():
    """Barto, Sutton and Anderson (1983), without friction, upright and at rest: with F = 10 N, g sin = 0,

    angle'' = -F / (M + m) / (l (4/3 - m / (M + m)))  toward the left, and  x'' = (F - m l angle'') / (M + m).
    Cardan counts angles counterclockwise: the pole falls backward, to positive angles.
    """
    env = CartPole()
    env.reset(seed=1)
    env.stepper.reset()
    env.duration = 1e-4
    observation, reward, terminated, truncated, _ = env.step(np.array([1.0], np.float32))
    turning = 10.0 / 1.1 / (0.5 * (4.0 / 3.0 - 0.1 / 1.1))
    speeding = (10.0 + 0.1 * 0.5 * turning) / 1.1
    np.testing.assert_allclose(observation[[1, 3]], [1e-4 * speeding, 1e-4 * turning], rtol=1e-5)
    assert reward == 1.0 and not terminated and not truncated


def test_an_episode_ends_when_the_pole_falls():
    env = CartPole()
    env.reset(seed=1)
    for _ in range(100):
        observation, _, terminated, _, _ = env.step(np.zeros(1, np.float32))
        if terminated:
            break
    assert terminated and abs(observation[2]) > np.radians(12.0)


def test_a_leg_stands_on_motors_that_hold_it():
    """Proportional and derivative control of both thighs brings the hip to rest within two seconds; without torque it
    sinks. Steps of 10 ms limit the gains: with 12 and 0.5 the legs chatter and their motion is chaotic."""
    env = Leg()
    observation, _ = env.reset(seed=2)
    aim = observation[[2, 4]].copy()
    for _ in range(200):
        action = np.clip(6.0 * (aim - observation[[2, 4]]) - 0.2 * observation[[3, 5]], -1.0, 1.0)
        observation, _, terminated, _, _ = env.step(action.astype(np.float32))
        assert not terminated
    assert abs(observation[1]) < 1e-5 and abs(observation[6]) < 5e-3
    env.reset(seed=2)
    assert any(env.step(np.zeros(2, np.float32))[2] for _ in range(60))


@pytest.mark.parametrize("threads", [1, 3])
def test_many_at_once_are_as_one_after_the_other(threads):
    """Episodes that have ended begin anew at the next step."""
    actions = np.random.default_rng(5).uniform(-1.0, 1.0, (80, 4, 1)).astype(np.float32)
    many = VectorEnvironment(CartPole, 4, threads)
    seen, _ = many.reset(seed=10)
    single = [CartPole() for _ in range(4)]
    for k, env in enumerate(single):
        assert np.array_equal(env.reset(seed=10 + k)[0], seen[k])
    ended = [False] * 4
    for row in actions:
        seen, rewards, terminated, truncated, _ = many.step(row)
        for k, env in enumerate(single):
            if ended[k]:
                assert np.array_equal(env.reset()[0], seen[k]) and rewards[k] == 0.0
                ended[k] = False
                continue
            observation, reward, stop, late, _ = env.step(row[k])
            assert np.array_equal(observation, seen[k]) and reward == rewards[k]
            assert (stop, late) == (terminated[k], truncated[k])
            ended[k] = stop or late
    assert terminated.dtype == bool
    many.close()

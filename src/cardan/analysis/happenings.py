"""What happens at an event: the user's action is told, and the run goes on as it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.analysis.event import Event
from cardan.analysis.keeping import saved
from cardan.errors import ModelError
from cardan.integrators.course import END, HAPPENED, REASON, TINY, WRITTEN, H, T, begin_course, write_now
from cardan.model import check
from cardan.results.energy import kinetic_energy
from cardan.results.simulation import Happening

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun

CHATTER = 200  # events at nearly one instant


def handle_event(run: ForwardRun) -> bool:
    """Tell the user's action that its event has taken place. Returns whether the run goes on."""
    event = run.events[int(run.course.count[HAPPENED])]
    now = float(run.course.clock[T])
    snapshot = run.snapshot()
    run.happened.append(Happening(event, now, snapshot, snapshot))
    if event.action is None:
        return _ended(run)
    _refuse_chatter(run, event, now)
    try:
        answer = event.action(snapshot)
    except Exception as error:
        raise run.stopped(f"at t = {now:.9g} s the action of {event.title} raised {error!r}") from error
    if isinstance(answer, str) and answer == "stop":
        return _ended(run)
    if answer is not None:
        k = int(run.course.count[HAPPENED])
        before = float(run.course.g[0, len(run.events) + k])
        _change(run, event, answer)
        _arm(run, k, before)
        run.happened[-1] = Happening(event, now, snapshot, run.snapshot())
    return True


def _ended(run: ForwardRun) -> bool:
    """The run ends here: the instant belongs to the result, and another run can go on from it."""
    count, found = run.course.count, run.record
    written, now = int(count[WRITTEN]), float(run.course.clock[T])
    if written == 0 or found.times[written - 1] < now:
        write_now(run.course, run.record)
    run.checkpoint = saved(run, now)
    return False


def _arm(run: ForwardRun, k: int, before: float) -> None:
    """An event whose value was turned back by the change, or went back already, can take place again at once."""
    g, side = run.course.g, float(run.course.side[k])
    after = float(g[0, len(run.events) + k])
    returns = after * side < 0.0 or before * side <= 0.0
    g[0, k] = -TINY * side if returns else TINY * side


def _change(run: ForwardRun, event: Event, answer: Any) -> None:
    """Give bodies the velocities that an action returned; what kinetic energy this takes away counts as dissipated."""
    if not isinstance(answer, dict):
        raise ModelError(
            f"the action of {event.title} must return None, 'stop' or a dictionary of bodies, got {answer!r}"
        )
    system, first = run.system, run.sizes.positions
    before = _kinetic(run)
    for body, changes in answer.items():
        check.instance(body, system.model.body_type, f"a key of what the action of {event.title} returned")
        place = first + system.width * system.body_number(body)
        poses = run.course.y[system.space.stored * system.body_number(body) :][: system.space.stored]
        twist = run.course.y[place : place + system.width]
        twist[:] = system.space.changed_twist(poses, twist, changes, f"the action of {event.title}")
    status = begin_course(run.act, run.opaque, run.course)
    if status:
        run.course.count[REASON] = status
        raise run.failure()
    lost = first + run.sizes.speeds + len(system.laws)  # where dissipated energy is counted
    run.course.y[lost] += before - _kinetic(run)
    run.forget()
    run.course.clock[H] = run.first_step(float(run.course.clock[END] - run.course.clock[T]))


def _kinetic(run: ForwardRun) -> float:
    nq, nv = run.sizes.positions, run.sizes.speeds
    y = run.course.y[None]
    return float(kinetic_energy(run.system, y[:, :nq], y[:, nq : nq + nv])[0])


def _refuse_chatter(run: ForwardRun, event: Event, now: float) -> None:
    recent = [h.time for h in run.happened[-CHATTER:] if h.event is event]
    span = float(run.course.clock[END]) - recent[0]
    if len(recent) == CHATTER and now - recent[0] < 1e-6 * span:
        raise run.stopped(
            f"{event.title} chatters: it took place {CHATTER} times from t = {recent[0]:.9g} to {now:.9g} s; let "
            "its action stop the run, or change more than it does",
        )

"""A session: a document, its solution, and the answers to the messages of its pages."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cardan.errors import CardanError, ModelError
from cardan.files.vocabulary.types import vocabulary
from cardan.studio import picture, question as q
from cardan.studio.code import python_code
from cardan.studio.document import Document
from cardan.studio.edits.change import keep_pose
from cardan.studio.edits.draft import GROUND, Draft
from cardan.studio.edits.table import about, apply
from cardan.studio.free import FreeMotion
from cardan.studio.places import Places, Pose
from cardan.studio.properties import describe_elements, describe_parameters, settings_of
from cardan.studio.runs import Runs
from cardan.studio.solved import SLOW_MOTION, Solved, poses_of
from cardan.studio.stated import space_of
from cardan.studio.text import ModelText
from cardan.studio.values import Values

DRAG_SECONDS = 0.012  # s for the way to a target: the rest comes with the next message


class Session:
    """What the pages of one drawing share. `tell` sends a message to all of them."""

    def __init__(
        self,
        document: Document,
        tell: Callable[[dict[str, Any]], None],
        *,
        functions: Any = None,
        allow: Sequence[Path] = (),
    ) -> None:
        self.document, self.tell = document, tell
        self.functions, self.allow = functions, allow
        self.lock = threading.RLock()
        self.revision = 0
        self.shown: list[str] = []  # curves that were chosen
        self.free = FreeMotion(self)
        self.held: dict[str, Pose] = {}  # where a hand has put the bodies
        self.runs = Runs(self)
        self._quick = True  # whether motions are fast enough to be computed while something is moved
        self.poses: dict[str, Pose] = {}
        self._take(self.solve(document.text))

    # --- solving ---------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        return self.document.path or Path.cwd() / "untitled.yaml"

    def solve(self, text: str, preview: bool = False) -> Solved:
        """The model of a text; while something is being moved, without a motion that takes long."""
        motion = self._quick or not preview
        free = self.free.duration if self._quick else 0.0
        return Solved(text, self.path, functions=self.functions, allow=self.allow, motion=motion, free=free)

    def _take(self, solved: Solved) -> None:
        self.solved, self.held = solved, {}
        self.scene = picture.scene_of(solved)
        self.took(solved)
        self.poses = solved.poses or (self.poses if solved.fault else {})
        self.revision += 1

    def took(self, solved: Solved) -> None:
        """Motions that take long are not computed while something is moved."""
        self._quick = solved.took < SLOW_MOTION

    def state(self, solved: Solved | None = None, preview: bool = False) -> dict[str, Any]:
        """Everything that a page shows of the document, or of a change that is not made yet."""
        found = solved or self.solved
        text = ModelText(found.text)
        scene = self.scene if found is self.solved else picture.scene_of(found)
        poses = {GROUND: (0.0, 0.0, 0.0), **(found.poses or self.poses)}
        places = Places(text, Values(text), poses) if space_of(text) == "planar" else None
        motion = None
        if scene is not None and found.run is not None and len(found.run) > 1:
            motion = picture.motion(found.run, scene, self.shown)
        return {
            "type": "state",
            "preview": preview,
            "revision": self.revision,
            "space": space_of(text),
            "name": self.document.name,
            "title": str(text.data("name") or "untitled"),
            "path": str(self.document.path or ""),
            "saved": self.document.saved,
            "undo": self.document.done[-1].about if self.document.done else "",
            "redo": self.document.undone[-1].about if self.document.undone else "",
            "undoable": bool(self.document.done),
            "redoable": bool(self.document.undone),
            "recovered": self.document.recovered,
            "text": found.text,
            "status": found.status,
            "settings": settings_of(text),
            "units": {name: Values(text).unit(name) for name in ("length", "angle")},
            "factors": {name: Values(text).units.wanted(name).factor for name in ("length", "angle")},
            "parameters": describe_parameters(text),
            "elements": describe_elements(text, found),
            "points": [] if places is None else picture.points(places),
            "picture": picture.picture(found, scene) if not found.fault else None,
            "palette": picture.PALETTE,
            "motion": motion,
            "slow": not self._quick,
            "free": {"duration": self.free.duration or found.duration, "shown": self.free.duration > 0.0},
        }

    # --- messages --------------------------------------------------------------------------------------------------

    def answer(self, text: str | bytes) -> dict[str, Any]:
        """The answer to a message."""
        message: Any = {}
        try:
            message = q.read_message(text)
            with self.lock:
                found = getattr(self, f"_do_{message['do']}")(message)
        except CardanError as error:
            found = {"type": "error", "text": str(error)}
        except OSError as error:
            found = {"type": "error", "text": f"the file cannot be written: {error.strerror or error}"}
        except Exception as error:  # a fault of this program: the drawing is as it was, and the page stays open
            traceback.print_exc(file=sys.stderr)
            text = f"this failed inside the studio, please report it: {type(error).__name__}: {error}"
            found = {"type": "error", "text": text}
        return {"id": q.number_of(message), **found}

    def _do_edit(self, message: dict[str, Any]) -> dict[str, Any]:
        name, stated = q.word(message.get("edit"), "edit"), message.get("with")
        if space_of(ModelText(self.document.text)) == "spatial" and name not in SPATIAL:
            raise ModelError("models in space are changed by their values and parameters; drawing works in the plane")
        draft = Draft(ModelText(self.document.text), self.poses)
        made = apply(draft, name, stated)
        if message.get("preview") is True:
            return self.state(self.solve(draft.text.text, preview=True), preview=True)
        self.document.replace(draft.text.text, about(name, stated if isinstance(stated, dict) else {}))
        return self._changed(made)

    def _changed(self, made: Any = None) -> dict[str, Any]:
        self._take(self.solve(self.document.text))
        state = self.state()
        self.tell(state)
        self.free.renew()
        self.runs.renew()
        return {"type": "done", "revision": self.revision, "made": made}

    def _do_undo(self, message: dict[str, Any]) -> dict[str, Any]:
        self.document.undo()
        return self._changed()

    def _do_redo(self, message: dict[str, Any]) -> dict[str, Any]:
        self.document.redo()
        return self._changed()

    def _do_text(self, message: dict[str, Any]) -> dict[str, Any]:
        """The whole text, as typed. A text with faults is kept too: its first fault is shown."""
        self.document.replace(q.word(message.get("text"), "text", q.MAX_TYPED), "text")
        return self._changed()

    def _do_save(self, message: dict[str, Any]) -> dict[str, Any]:
        """Save, or save under another name in the folder of the file."""
        name = message.get("name")
        path = None
        if name is not None:
            wanted = q.word(name, "name of the file").strip()
            path = Path(wanted).expanduser()
            path = path if path.suffix else path.with_suffix(self.document._suffix())
            folder = (self.document.path or Path.cwd() / "x").parent
            path = path if path.is_absolute() else folder / path
            if path.exists() and message.get("overwrite") is not True and path != self.document.path:
                return {"type": "exists", "text": f"'{path}' exists: overwrite it?", "name": wanted}
        target = self.document.save(path)
        self.tell(self.state())
        return {"type": "done", "text": f"saved to {target}", "revision": self.revision}

    def _do_drag(self, message: dict[str, Any]) -> dict[str, Any]:
        """Pull a point of a body toward a target; joints stay closed."""
        body = q.word(message.get("body"), "body")
        solved = self.solved
        if solved.snapshot is None or solved.dimensions != 2 or solved.fault:
            raise ModelError("nothing can be dragged yet")
        point, target = q.point(message.get("point"), "point"), q.point(message.get("target"), "target")
        hand = solved.hand
        if message.get("begin") is True and solved.run is not None and message.get("time") is not None:
            run = solved.run
            time = min(max(q.number(message["time"], "time"), float(run.times[0])), float(run.times[-1]))
            hand.begin(run.at(time))
        if body not in {one.name for one in hand.system.bodies}:
            raise ModelError(f"'{body}' cannot be dragged")
        held = hand.drag(body, point, target, patience=DRAG_SECONDS)
        self.held = poses_of(held.snapshot)
        lines = picture.strands(self.scene, picture.stored(held.snapshot)[None])[0] if self.scene is not None else []
        return {
            "type": "drag",
            "poses": picture.frame(held.snapshot),
            "strands": lines,
            "locked": held.locked,
            "text": held.text,
            "at": [float(x) for x in held.at],
        }

    def _do_keep(self, message: dict[str, Any]) -> dict[str, Any]:
        """Start from where the hand has left the mechanism."""
        if not self.held:
            raise ModelError("drag the mechanism first: its position then becomes the initial one")
        draft = Draft(ModelText(self.document.text), self.held)
        before = self.poses
        keep_pose(draft)
        for body, pose in self.held.items():
            if body in before:
                draft.turn_drivers(body, pose[2] - before[body][2])
        self.document.replace(draft.text.text, "initial position")
        return self._changed()

    def _do_curves(self, message: dict[str, Any]) -> dict[str, Any]:
        self.shown = q.words(message.get("names"), "curves")
        self.tell(self.state())
        return {"type": "done", "revision": self.revision}

    def _do_simulate(self, message: dict[str, Any]) -> dict[str, Any]:
        """Show the free motion over a duration in seconds, 0 for none."""
        self.free.show(q.number(message.get("duration"), "duration"))
        return {"type": "done", "revision": self.revision}

    def _do_solve(self, message: dict[str, Any]) -> dict[str, Any]:
        """Everything, motion included; also what a page asks for at its beginning."""
        if message.get("motion") is True and self.solved.run is None and not self.solved.fault:
            self.solved.move()
            self.scene = picture.scene_of(self.solved)
        return self.state() | {"runs": self.runs.listed()}

    def _do_python(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.solved.file is None:
            raise ModelError(self.solved.fault or "there is no model to show")
        return {"type": "python", "text": python_code(self.solved.file)}

    def _do_types(self, message: dict[str, Any]) -> dict[str, Any]:
        """What can be added, with arguments: name, kind, default; and the analyses."""
        space = space_of(ModelText(self.document.text))
        return {"type": "types", "space": space, "types": _types(space, "element"), "analyses": _types("analyses", "")}

    def _do_recover(self, message: dict[str, Any]) -> dict[str, Any]:
        """The page has seen that changes of a crash were restored."""
        self.document.recovered = 0
        return {"type": "done", "revision": self.revision}

    def _do_run(self, message: dict[str, Any]) -> dict[str, Any]:
        kind = q.word(message.get("analysis"), "analysis")
        arguments = q.settings(message.get("arguments", {}), "arguments")
        compare = message.get("compare")
        self.runs.start(
            kind, arguments, compare=compare if isinstance(compare, int) else None, keep=message.get("keep") is True
        )
        return {"type": "done", "revision": self.revision}

    def _do_remove_run(self, message: dict[str, Any]) -> dict[str, Any]:
        self.runs.remove(int(q.number(message.get("run"), "run")))
        return {"type": "done", "revision": self.revision}

    def close(self) -> None:
        self.runs.close()
        self.document.close()


SPATIAL = ("set", "add", "rename", "remove", "parameter", "setting", "marker")


def _types(which: str, gives: str) -> dict[str, Any]:
    known = vocabulary(which)
    found = {}
    for name in known.names(gives) if gives else known.names():
        kind = known[name]
        arguments = [
            [key, one.kind, None if one.required else one.default, one.required] for key, one in kind.arguments.items()
        ]
        found[name] = {"about": kind.about, "group": kind.group, "arguments": arguments}
    return found

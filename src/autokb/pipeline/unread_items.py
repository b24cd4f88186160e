"""Items of whose replies none could be read: asked about in two builds, then a failure by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.ids import digest
from autokb.pipeline.runner import Answered, Job
from autokb.stores.workspace_file import WorkspaceFile

MOST_REQUESTS = 2  # about one item, each with its repair: issue 13 asks nothing a third time


@dataclass(frozen=True)
class UnreadItems:
    """What is known of such items of one stage, task and model; ``most_output`` bounds the replies of this run.

    An item's key holds model, prompt and effort, so that another one of these is asked anew; so is a larger bound.
    """

    file: WorkspaceFile
    job: Job[Any]
    model: str
    most_output: int

    def split_exhausted(self) -> tuple[list[Answered], list[int]]:
        """Return answers that give up, with the reason, and the positions of missing items still to be asked about."""
        keys = {n: self.job.keys[n] for n in self.job.missing}
        notes = self._notes(list(keys.values()))
        past = {
            key: note
            for key, note in notes.items()
            if len(note["requests"]) >= MOST_REQUESTS and self.most_output <= note["most_output"]
        }
        given_up = [Answered(n, None, self._sentence(past[key])) for n, key in keys.items() if key in past]
        return given_up, [n for n, key in keys.items() if key not in past]

    def note(self, request: str, reasons: Mapping[str, str]) -> None:
        """Remember why the replies to a request could not be read for items, by their keys; twice the same is once."""
        if self.file.read_only:
            return
        known = self._notes(sorted(reasons))
        notes = {}
        for key, reason in reasons.items():
            before = known.get(key, {"requests": [], "most_output": 0})
            body = {
                "requests": sorted({*before["requests"], request}),
                "most_output": max(before["most_output"], self.most_output),
                "reason": reason,
            }
            notes[_note_key(key)] = json.dumps(body, ensure_ascii=False)
        self.file.finish(self.job.stage, notes)

    def _notes(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        found = self.file.finished([_note_key(key) for key in keys])
        return {key: note for key in keys if (note := _read_note(found.get(_note_key(key), "")))}

    def _sentence(self, note: Mapping[str, Any]) -> str:
        return (
            f"No reply of {self.model} to {self.job.task.name} could be read in two builds, the last one because: "
            f"{note['reason']} It is not asked again as it is: set another model for the task or a max_output of more "
            f"than {note['most_output']} in settings.yaml."
        )


def _read_note(text: str) -> dict[str, Any] | None:
    """Return what was noted; None for what was damaged."""
    try:
        note = json.loads(text)
        requests, most = note["requests"], note["most_output"]
    except (ValueError, TypeError, KeyError):
        return None
    return note if isinstance(requests, list) and isinstance(most, int) and "reason" in note else None


def _note_key(key: str) -> str:
    return digest("unread", key)

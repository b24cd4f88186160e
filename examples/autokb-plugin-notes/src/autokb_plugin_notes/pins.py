"""Pins: documents that a team wants to come first. Kept in a table of the workspace, read by a ranking feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.settings import section_of
from autokb.stats.bootstrap import measured_mean
from autokb.stores.plugin_tables import plugin_tables

if TYPE_CHECKING:
    from autokb.app import SupportKB
    from autokb.core.ranking import Scores
    from autokb.retrieval.features import QuestionEvidence
    from autokb.stores.workspace import Workspace


@dataclass(frozen=True)
class Pin:
    """A pinned document, who pinned it and why."""

    document: str
    author: str
    reason: str


def read_pins(workspace: Workspace) -> list[Pin]:
    """Return what is pinned, by document."""
    with plugin_tables(workspace, "notes") as file:
        rows = file.rows("SELECT document, author, coalesce(reason, '') FROM notes_pin ORDER BY document")
    return [Pin(*row) for row in rows]


class Pins:
    """``kb.notes``: what is pinned."""

    def __init__(self, kb: SupportKB) -> None:
        self._kb = kb

    def list(self) -> list[Pin]:
        """Return what is pinned, by document."""
        return read_pins(self._kb.workspace)

    def add(self, document: str, author: str = "", reason: str = "") -> list[Pin]:
        """Pin a document that is published (UnknownIdError), at most as many as the settings say (BadInputError)."""
        found = self._kb.views.document(document).id
        most = section_of(self._kb.workspace.settings, "notes").most_pins
        with plugin_tables(self._kb.workspace, "notes", write=True) as file:
            file.change("DELETE FROM notes_pin WHERE document = ?", (found,))
            if len(file.rows("SELECT document FROM notes_pin")) >= most:
                raise BadInputError(f"{most} documents are pinned already; take one off, or raise most_pins.")
            file.change("INSERT INTO notes_pin (document, author, reason) VALUES (?, ?, ?)", (found, author, reason))
        return self.list()


def pinned(workspace: Workspace, question: str, found: QuestionEvidence) -> Scores:
    """Return 1 for the sections of pinned documents: ``autokb rank fit`` says whether that gains anything."""
    pins = {pin.document for pin in read_pins(workspace)}
    rows = found.candidates.rows
    return np.array([float(any(e.document in pins for e in row.solution.evidence)) for row in rows])


def study(kb: SupportKB) -> dict[str, Any]:
    """Return for ``autokb evaluate notes.first`` in what share of the team's checks a pinned document comes first."""
    pins = {pin.document for pin in kb.notes.list()}
    answers = [kb.ask(check.text) for check in kb.checks.list().checks]
    first = [float(any(e.document in pins for e in one.shown[0].evidence)) for one in answers if one.shown]
    return {"pins": len(pins), "answered": len(first), "pinned_first": measured_mean(first)}


def examine(workspace: Workspace) -> Iterator[str]:
    """Give the lines of ``autokb doctor``."""
    pins = read_pins(workspace)
    yield f"{len(pins)} of {section_of(workspace.settings, 'notes').most_pins} pins are used"
    with workspace.file() as file:
        known = {document for document, _ in file.records("document")}
    for pin in pins:
        if pin.document not in known:
            yield "a pinned document is published no longer; take its pin off"


def digest(workspace: Workspace, since: str) -> list[str]:
    """Return the lines of the section of ``autokb digest``."""
    return [f"- {pin.document}" for pin in read_pins(workspace)] or ["Nothing is pinned."]

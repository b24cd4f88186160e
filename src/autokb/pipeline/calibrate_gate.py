"""The gate of a workspace, calibrated on a team's own questions: read, scored, stored for every later question."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.ranking import Scores
from autokb.core.results import Result
from autokb.core.storable import without_surrogates
from autokb.core.test_sets import read_queries
from autokb.pipeline.open_index import QUESTION_CHARACTERS, OpenIndex, open_index
from autokb.retrieval.calibrated_gate import SETTING, CalibratedGate
from autokb.retrieval.gate_calibration import FEWEST, Calibration, GateCases, calibrate, least_passing
from autokb.stores.database import failures_as_sentences
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

BINS = 10  # of the histograms, from 0 to 1
SHOWN = 100  # characters of a question that an error names


@dataclass(frozen=True, slots=True)
class GateSide(Result):
    """The questions of one file: how many and how many pass; ``histogram`` counts their probabilities by tenths.

    ``passing_by_cosine`` is how many a bare threshold on the cosine would let pass.
    """

    n: int
    passing: int
    passing_by_cosine: int
    histogram: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GateCalibration(Result):
    """What ``gate calibrate`` found and stored.

    ``threshold`` is the least probability that passes from now on, ``cosine`` the threshold on the cosine that lets as
    many in-domain questions pass. ``other_language`` counts questions that were left out because another encoder reads
    them.
    """

    threshold: float
    encoder: str
    date: str
    in_domain: GateSide
    out_of_domain: GateSide
    cosine: float
    other_language: int


@dataclass(frozen=True, slots=True)
class GateReset(Result):
    """Whether a calibration was dropped, and of which date; from now on the gate of the build decides."""

    dropped: bool
    date: str | None


def calibrate_gate(
    workspace: Workspace, in_domain: Path, out_of_domain: Path, *, now: str | None = None
) -> GateCalibration:
    """Calibrate the gate on two files of questions and store it; BadInputError says what is wrong with a file.

    The gate of the build stays beside it, and ``now`` is the moment that is noted, as ISO 8601.
    """
    read = _read_questions(in_domain), _read_questions(out_of_domain)
    if both := sorted(read[0].keys() & read[1].keys()):
        others = f", as are {len(both) - 1} others" if len(both) > 1 else ""
        raise BadInputError(
            f"The question {read[0][both[0]][:SHOWN]!r} is in both files{others}; leave each in one of them."
        )
    with closing(open_index(workspace, calibrated=False)) as opened:
        with failures_as_sentences(workspace.knowledge_path):
            sides = [[text for text in side.values() if _reads(opened, text)] for side in read]
            for path, side, texts in zip((in_domain, out_of_domain), read, sides, strict=True):
                _check_number(path, len(texts), len(side))
            ours, theirs = (GateCases.of(opened.index, texts) for texts in sides)
        found = calibrate(opened.index, ours, theirs, now or datetime.now(UTC).isoformat(timespec="seconds"))
    with workspace.file() as file, file.transaction():
        _store(workspace, file, found.gate)
    left_out = sum(map(len, read)) - sum(map(len, sides))
    return _describe(found, ours, theirs, left_out)


def reset_gate(workspace: Workspace) -> GateReset:
    """Drop the calibration, whatever encoder it is of; from now on the gate of the build decides."""
    with workspace.file() as file, file.transaction():
        # after a rollback the next build would take that of the newest version
        kept = file.record("setting", SETTING) or file.newest("setting", SETTING)
        if kept is not None:
            _store(workspace, file, None)
    return GateReset(kept is not None, str(kept["date"]) if kept and kept.get("date") else None)


def _read_questions(path: Path) -> dict[str, str]:
    """Read the questions of a file as ``ask`` takes them, each once, whatever its case and spaces."""
    asked = [without_surrogates(query.text[:QUESTION_CHARACTERS]) for query in read_queries(path)]
    return {" ".join(text.casefold().split()): text for text in reversed(asked)}


def _reads(opened: OpenIndex, text: str) -> bool:
    """Return whether the encoder of the calibration reads a question, and not that for other languages."""
    return opened.by_language.index_for(text)[0].encoder == opened.index.encoder


def _check_number(path: Path, usable: int, read: int) -> None:
    if usable < FEWEST:
        others = "" if usable == read else f" ({read - usable} more are in other languages, which it does not gate)"
        raise BadInputError(
            f"{path} has {usable} different questions{others}; a calibration needs at least {FEWEST} of each kind, and "
            "some hundred are better."
        )


def _store(workspace: Workspace, file: WorkspaceFile, gate: CalibratedGate | None) -> None:
    """Put a calibration among the published settings, or take it out; call it inside a transaction."""
    settings = {("setting", name): canonical_json(body) for name, body in file.records("setting") if name != SETTING}
    if gate is not None:
        settings["setting", SETTING] = canonical_json(gate.as_json())
    file.publish(settings, ["setting"], workspace.publication_by("gate"))


def _describe(found: Calibration, in_domain: GateCases, out_of_domain: GateCases, left_out: int) -> GateCalibration:
    gate = found.gate
    cosine = least_passing(in_domain.cosines, gate.in_domain.passing / gate.in_domain.n)
    return GateCalibration(
        threshold=gate.threshold,
        encoder=gate.encoder,
        date=gate.date,
        in_domain=_side(found.in_domain, in_domain, gate.in_domain.passing, cosine),
        out_of_domain=_side(found.out_of_domain, out_of_domain, gate.out_of_domain.passing, cosine),
        cosine=cosine,
        other_language=left_out,
    )


def _side(probabilities: Scores, cases: GateCases, passing: int, cosine: float) -> GateSide:
    counts, _ = np.histogram(probabilities, bins=BINS, range=(0.0, 1.0))
    return GateSide(len(cases.texts), passing, int((cases.cosines >= cosine).sum()), tuple(counts.tolist()))

"""Lines for other customers are left out of what is shown to one who has said what they have."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from autokb.answering.answer import Answer
from autokb.answering.ask import ask
from autokb.answering.lines_for_others import without_lines_for_others
from autokb.answering.telling import TellingLine
from autokb.app import SupportKB
from autokb.core.domain import read_domain
from autokb.core.nouns import Evidence
from autokb.domains import domain_text
from autokb.pipeline.open_index import open_index
from autokb.retrieval.index import QuestionIndex

DOMAIN = """
name: upload
attributes:
  os: {values: [Windows, macOS, Android]}
"""
GUIDE = """# Receipts

## Photos are not uploaded

1. Open the queue.
2. On Android, choose Unrestricted under Battery.
3. On Windows, start the service. Without it the queue stands still.
4. On macOS, allow the folder. On Android the folder is always allowed.
5. Wait until the clouds have gone.

## The queue is stuck for days

1. Open the queue.
2. On Windows, restart the service.
3. Go on with step 1 until it is empty.
"""
LABELLED = (
    ("1. Open the menu.", "Open the menu."),
    ("2. (Windows) Press Alt.", "(Windows) Press Alt."),
    ("3. (macOS) Click the Finder icon.", "(macOS) Click the Finder icon."),
    ("4. (not on macOS) Press Esc.", "(not on macOS) Press Esc."),
    ("5. Choose one:\n   - (Windows) Alt\n   - (macOS) Option", "Choose one:\n- (Windows) Alt\n- (macOS) Option"),
)
UPLOAD, STUCK = "my photos are not uploaded", "the queue is stuck for days"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> QuestionIndex:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "receipts.md").write_text(GUIDE, encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    kb = SupportKB.create(folder / "kb", folder / "domain.yaml")
    kb.add([folder / "receipts.md"])
    kb.build()
    return open_index(kb.workspace).index


def asked(index: QuestionIndex, text: str, **values: str) -> Answer:
    return ask(index, text, {name: frozenset({value}) for name, value in values.items()})


def openings(answer: Answer) -> list[str]:
    return [" ".join(step.split()[:2]).rstrip(",") for step in answer.shown[0].steps]


def test_a_line_for_another_system_goes_and_one_that_also_speaks_to_this_one_stays(index: QuestionIndex) -> None:
    assert openings(asked(index, UPLOAD)) == ["Open the", "On Android", "On Windows", "On macOS", "Wait until"]
    found = asked(index, UPLOAD, os="Android")
    assert openings(found) == ["Open the", "On Android", "On macOS", "Wait until"]
    assert openings(asked(index, UPLOAD, os="Windows")) == ["Open the", "On Windows", "On macOS", "Wait until"]


def test_what_is_left_keeps_its_quotes_and_is_the_same_everywhere(index: QuestionIndex) -> None:
    found = asked(index, UPLOAD, os="Windows")
    shown = found.shown[0]
    assert len(shown.steps) == len(shown.evidence) == 4 and "Battery" not in shown.text
    assert all(GUIDE[e.start : e.end] == e.quote for e in shown.evidence)
    passage = found.as_json()["passages"][0]
    assert (
        passage["steps"] == list(shown.steps)
        and passage["id"] == shown.id
        and "\n1. Open the queue.\n3. On" in passage["text"]
    )


def test_steps_that_are_referred_to_by_number_stay(index: QuestionIndex) -> None:
    assert asked(index, STUCK, os="Android").shown[0].steps == asked(index, STUCK).shown[0].steps


def test_a_warning_and_what_is_for_others_from_end_to_end_are_left_whole(index: QuestionIndex) -> None:
    found = replace(asked(index, UPLOAD), attributes={"os": frozenset({"Android"})})
    warned = replace(found, urgent=frozenset({found.shown[0].id}))
    assert without_lines_for_others(warned, index.spec) is warned
    lone = replace(found.shown[0], steps=found.shown[0].steps[2:3], evidence=found.shown[0].evidence[2:3])
    of_others = replace(found, shown=(lone,), passages=(replace(found.passages[0], solution=lone),))
    assert without_lines_for_others(of_others, index.spec) is of_others


def test_the_line_that_was_told_goes_with_its_step(index: QuestionIndex) -> None:
    found = replace(asked(index, UPLOAD), attributes={"os": frozenset({"Android"})})
    (_, android, windows, *_) = found.shown[0].evidence
    told = replace(found, telling=TellingLine("Start the service.", windows))
    assert without_lines_for_others(told, index.spec).telling is None
    kept = TellingLine("Choose Unrestricted.", android)
    assert without_lines_for_others(replace(found, telling=kept), index.spec).telling == kept


def shown_to(index: QuestionIndex, lines: tuple[tuple[str, str], ...], system: str) -> tuple[str, ...]:
    found = replace(asked(index, UPLOAD), attributes={"os": frozenset({system})})
    evidence = tuple(Evidence("receipts.md", 0, len(quote), quote) for quote, _ in lines)
    one = replace(found.shown[0], steps=tuple(words for _, words in lines), evidence=evidence)
    given = replace(found, shown=(one,), passages=(replace(found.passages[0], solution=one),))
    return without_lines_for_others(given, index.spec).shown[0].steps


def test_a_label_in_brackets_says_for_whom_a_line_is(index: QuestionIndex) -> None:
    windows = ("Open the menu.", "(Windows) Press Alt.", "(not on macOS) Press Esc.", "Choose one:\n- (Windows) Alt")
    assert shown_to(index, LABELLED, "Windows") == windows
    mac = ("Open the menu.", "(macOS) Click the Finder icon.")
    assert shown_to(index, LABELLED, "macOS")[:2] == mac


def test_a_procedure_keeps_its_beginning_unless_another_stands_in_its_place(index: QuestionIndex) -> None:
    own, other = ("1. (macOS) Open Finder.", "(macOS) Open Finder."), ("2. Press Go.", "Press Go.")
    assert shown_to(index, (own, other), "Windows") == ("(macOS) Open Finder.", "Press Go.")
    parallel = (own, ("2. (Windows) Open Explorer.", "(Windows) Open Explorer."), ("3. Press Go.", "Press Go."))
    assert shown_to(index, parallel, "Windows") == ("(Windows) Open Explorer.", "Press Go.")
    bullets = (("- (macOS) Open Finder.", "(macOS) Open Finder."), ("- Press Go.", "Press Go."))
    assert shown_to(index, bullets, "Windows") == ("Press Go.",)


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ("Hold the switch of Lumo Over for twelve seconds.", False),
        ("Press both keys (Lumo Over only).", False),
        ("Lumo Over (headphones)\n1. Switch them off.", False),
        ("This light is found on headphones only.", False),
        ("A charge takes 90 minutes for Lumo Buds and two hours for Lumo Over.", True),
        ('Choose "Headphones (Lumo)" as output.', True),
        ("Plug it into the headphone socket.", True),
        ("Put the Lumo Buds into the case.", True),
        ("", True),
    ],
)
def test_a_model_named_inside_a_line_says_for_whom_it_is(index: QuestionIndex, line: str, is_shown: bool) -> None:
    spec = read_domain(yaml.safe_load(domain_text("headphones")))
    found = replace(asked(index, UPLOAD), attributes={"headphone_type": frozenset({"Earbud"})})
    steps = ("Open the menu.", line)
    evidence = tuple(Evidence("receipts.md", 0, len(step), f"- {step}") for step in steps)
    one = replace(found.shown[0], steps=steps, evidence=evidence)
    given = replace(found, shown=(one,), passages=(replace(found.passages[0], solution=one),))
    assert without_lines_for_others(given, spec).shown[0].steps == (steps if is_shown else steps[:1])

"""Rules of the published domain do not vanish: a build that would drop one names it and needs a yes."""

from __future__ import annotations

from pathlib import Path

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.domain import Rule
from autokb.core.errors import BadInputError
from autokb.exchange.export_kb import export_kb
from autokb.pipeline.rules_stay import gone_rules
from autokb.stores.workspace import DOMAIN_FILE, Workspace, create_workspace

HEAD = hand_made_kb.DOMAIN[: hand_made_kb.DOMAIN.index("rules:")]  # what is left of a file that was cut off there
NO_SUPPORT = "no-support (Do not send the customer to support.)"


def rules(*given: tuple[str, str] | tuple[str, str, str]) -> list[Rule]:
    return [Rule(rule_id, text, tuple(patterns)) for rule_id, text, *patterns in given]


BEFORE = rules(("rule-1", "A", "a"), ("rule-2", "B"), ("named", "C", "c"))


@pytest.mark.parametrize(
    ("now", "gone"),
    [
        (BEFORE, []),
        ([*BEFORE[::-1], Rule("new", "N")], []),
        ([Rule("rule-1", "A, in other words", ("a",)), *BEFORE[1:]], []),
        ([*BEFORE[:2], Rule("renamed", "C", ("c",))], []),
        ([*BEFORE[:2], Rule("named", "C in other words", ("other",))], []),
        ([], ["rule-1 (A)", "rule-2 (B)", "named (C)"]),
        ([Rule("rule-1", "B"), BEFORE[2]], ["rule-1 (A)"]),  # the second moved up
        (BEFORE[:2], ["named (C)"]),
        ([*BEFORE[:2], Rule("named", "C")], ["the patterns of named (C)"]),
    ],
)
def test_rules_that_are_gone_are_known_by_text_and_id(now: list[Rule], gone: list[str]) -> None:
    assert gone_rules(BEFORE, now) == gone


def test_a_build_that_would_drop_a_rule_names_it_and_publishes_nothing(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "before.jsonl")
    (hand_made.folder / DOMAIN_FILE).write_text(HEAD, encoding="utf-8")
    with pytest.raises(BadInputError, match="lacks rules of the published") as raised:
        SupportKB.open(hand_made.folder).build()
    assert NO_SUPPORT in str(raised.value) and "--yes" in str(raised.value)
    SupportKB.open(hand_made.folder).plan()
    export_kb(hand_made, tmp_path / "after.jsonl")
    assert (tmp_path / "after.jsonl").read_bytes() == (tmp_path / "before.jsonl").read_bytes()


def test_a_yes_lets_the_rule_go_and_the_next_build_needs_none(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    (hand_made.folder / DOMAIN_FILE).write_text(HEAD, encoding="utf-8")
    assert main(["build", str(hand_made.folder)]) == 2
    assert NO_SUPPORT in capsys.readouterr().err
    assert main(["build", str(hand_made.folder), "--yes"]) == 0
    assert main(["build", str(hand_made.folder)]) == 0


def test_a_workspace_that_was_never_built_has_no_rule_to_lose(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", hand_made_kb.DOMAIN)
    (workspace.folder / DOMAIN_FILE).write_text(HEAD, encoding="utf-8")
    SupportKB.open(workspace.folder).build()
    with workspace.file() as file:
        assert file.record("setting", "domain") == {"yaml": HEAD}

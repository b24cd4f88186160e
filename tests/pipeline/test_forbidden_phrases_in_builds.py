"""Rules in a build: phrases withhold and repair, addresses do not, and a rule that nothing checks is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.domain import Rule
from autokb.pipeline.rules_stay import gone_rules

DOMAIN = """\
name: mail
rules:
  - {id: keep-safe, text: Keep virus protection and SSL on., forbid: [turn off antivirus, disable SSL]}
  - {id: be-kind, text: Never blame the customer.}
"""
PAGE = """\
# Mail

## Mail does not arrive

- Open the account settings.
- Try turning both antivirus, VPN, proxy and firewall off.
- Restart the program twice (https://mail.example/kb/disable-ssl).
"""


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    (tmp_path / "domain.yaml").write_text(DOMAIN)
    (tmp_path / "arrive.md").write_text(PAGE)
    (tmp_path / "issues.csv").write_text(
        "id,text,resolved_by\n1,My mail does not arrive,arrive.md\n"
        "2,New mail never arrives,arrive.md\n3,Mail does not arrive any more,arrive.md\n"
    )
    kb = SupportKB.create(tmp_path / "kb", str(tmp_path / "domain.yaml"))
    kb.add([tmp_path / "arrive.md"])
    kb.add([tmp_path / "issues.csv"], "issues")
    return kb


def test_a_phrase_repairs_an_address_does_not_and_an_unchecked_rule_is_named(
    kb: SupportKB, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = kb.build()
    assert [note for note in built.notes if "be-kind" in note and "not checked" in note and "forbid" in note]
    assert not any("keep-safe" in note for note in built.notes)
    kb.export(tmp_path / "kb.jsonl")
    lines = map(json.loads, (tmp_path / "kb.jsonl").read_text().splitlines())
    (solution,) = [line for line in lines if line["kind"] == "solution"]
    assert solution["status"] == "repaired"
    assert [step for step in solution["steps"] if "antivirus" in step] == []
    assert any("Restart the program" in step for step in solution["steps"]), (solution["reason"], solution["steps"])
    verdicts = {v["rule"]: v["verdict"] for v in solution["rules"]}
    assert verdicts["be-kind"] == "not judged"
    assert main(["build", str(kb.workspace.folder)]) == 0
    assert "be-kind" in capsys.readouterr().out


def test_a_rule_that_loses_its_phrases_does_not_vanish_in_silence() -> None:
    before = [Rule("r", "No calls.", (), ("call us",))]
    assert gone_rules(before, [Rule("r", "No calls.")]) == ["the forbid of r (No calls.)"]
    assert gone_rules(before, [Rule("r", "No calls.", ("call us",))]) == []

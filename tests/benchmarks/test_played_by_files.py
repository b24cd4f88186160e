"""Requests written as files are read as a model's replies, and scored by hand labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.chosen import FiledReader
from benchmarks.prompt_options import Case, Option, ask, attribute_cases, compare, options, rule_cases
from benchmarks.ticket_parsing import chosen_tickets

ATTRIBUTES, RULES = options()


def body(text: str) -> dict[str, Any]:
    return {"messages": [{"content": text}], "response_format": {"json_schema": {"schema": {}}}}


def test_prompts_are_spread_evenly_and_found_again_wherever_they_lie(tmp_path: Path) -> None:
    for _ in range(2):
        reader = FiledReader(tmp_path, 3)
        assert not [reply for n in range(6) if isinstance(reply := reader(body(f"prompt {n}")), str)]
    assert [len(list(one.glob("*.md"))) for one in sorted(tmp_path.iterdir())] == [2, 2, 2]
    (tmp_path / "r2").joinpath(f"{next((tmp_path / 'r2').glob('*.md')).stem}.json").write_text("{}", encoding="utf-8")
    reader = FiledReader(tmp_path)
    assert [reply for n in range(6) if (reply := reader(body(f"prompt {n}"))) == "{}"] == ["{}"]
    assert (len(reader.asked), len(reader.replied)) == (6, 1)


def of_domain(option: Option, domain: str, count: int) -> Option:
    """Return an option with the first cases of one domain, which then share a request."""
    return replace(option, arms={a: [c for c in some if c.group == domain][:count] for a, some in option.arms.items()})


def write_replies(place: Path, option: Option, arm: str, answers: Sequence[dict[str, Any]]) -> None:
    folder = place / f"{option.name}-{arm}"
    ask(folder, option.task, option.arms[arm])
    (prompt,) = folder.glob("*.md")
    prompt.with_suffix(".json").write_text(json.dumps({"answers": answers}), encoding="utf-8")


def labelled_values(case: Case) -> dict[str, list[str]]:
    return {name: case.labels.get(name, []) for name in case.spec.attributes}


def test_attributes_are_scored_by_their_labels_in_both_arms(tmp_path: Path) -> None:
    option = of_domain(ATTRIBUTES, "headphones", 4)
    right = [{"number": n, "attributes": labelled_values(c)} for n, c in enumerate(option.arms["plain"], 1)]
    write_replies(tmp_path, option, "plain", right)
    silent = {name: [] for name in option.arms["plain"][0].spec.attributes}
    thought = [{**one, "reasoning": "It says so."} for one in right]
    write_replies(tmp_path, option, "scratchpad", [{**thought[0], "attributes": silent}, *thought[1:]])
    found = {name: interval.value for name, interval, _ in compare(option, tmp_path)}
    assert found["attributes.all.all_right.plain"] == 1.0
    assert found["attributes.all.all_right.scratchpad"] == 0.75
    assert found["attributes.headphones.all_right.scratchpad-plain"] == -0.25
    said = len(option.arms["plain"][0].labels)
    assert found["attributes.all.accuracy.scratchpad"] == pytest.approx(1 - said / len(silent) / 4)


def test_rules_are_scored_by_their_labels_and_a_doubt_counts_as_broken(tmp_path: Path) -> None:
    option = of_domain(RULES, "medical", 3)
    broken = [
        {"number": n, "broken": [{"rule": r, "reason": "Step 2.", "steps": [2]} for r in c.labels], "doubted": []}
        for n, c in enumerate(option.arms["plain"], 1)
    ]
    write_replies(tmp_path, option, "plain", [{**one, "kept": []} for one in broken])
    doubted = [{**one, "broken": [], "doubted": one["broken"], "kept": []} for one in broken]
    write_replies(tmp_path, option, "reasons", [*doubted[:2], {**doubted[2], "doubted": []}])
    found = {name: interval.value for name, interval, _ in compare(option, tmp_path)}
    assert found["rules.all.all_right.plain"] == 1.0
    assert found["rules.all.broken_found.reasons"] == pytest.approx(2 / 3)


def test_the_arms_are_about_the_same_cases_and_only_their_prompts_differ() -> None:
    plain, thinking = list(attribute_cases(scratchpad=False)), list(attribute_cases(scratchpad=True))
    assert [c.id for c in plain] == [c.id for c in thinking]
    assert len({c.id for c in plain}) == len(plain)
    assert [c.item for c in plain] == [c.item for c in thinking]  # the scratchpad is no part of what is compared


def test_labels_of_rules_name_rules_that_there_are_and_no_pattern_judges_them() -> None:
    cases = list(rule_cases(explains=False))
    assert all(case.labels <= {rule.id for rule in case.spec.rules} for case in cases)
    assert {bool(case.labels) for case in cases} == {True, False}
    verdicts = {one.verdict for c in cases for one in RULES.task.answer_offline(c.item).verdicts}
    assert verdicts == {"not judged"}


def test_others_are_of_the_same_project_alike_in_title_and_not_linked() -> None:
    def ticket(key: str, title: str, *links: str) -> dict[str, Any]:
        return {"key": key, "project": key[:1], "summary": title, "links": [{"key": link} for link in links]}

    tickets = [
        ticket("A-1", "Kettle leaks at the lid"),
        ticket("A-2", "Kettle leaks at the lid again", "A-1"),
        ticket("A-3", "The lid of a kettle is loose"),
        ticket("B-1", "Kettle leaks at the lid"),
        ticket("A-4", "Invoices in Spanish"),
    ]
    first, *_ = [one["key"] for one in chosen_tickets(tickets, {"A-1"}) if one["key"] != "A-1"]
    assert first == "A-3"

"""Q_M, Q_D and Q_C with the arithmetic written out."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.core.attributes import ANY, NONE, from_lists
from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError
from autokb.core.nouns import Evidence, Issue, Solution, Verdict
from autokb.plugins.lab.evaluation.quality.annotation import agree, read_sheet, sheet
from autokb.plugins.lab.evaluation.quality.measures import (
    attribute_granularity,
    compliance,
    granularity,
    solution_granularity,
)
from autokb.plugins.lab.evaluation.quality.report import evaluate_quality
from autokb.plugins.lab.evaluation.report import answer_tables, html_page
from autokb.tasks.issues.check_rules.task import NOTHING_NAMED

DOMAIN = read_domain(
    {
        "attributes": {
            "device": {"kind": "closed", "values": ["Phone", "Tablet", "Laptop", "Watch"]},
            "condition": {"kind": "open", "examples": ["Asthma"]},
        },
        "rules": [
            {"id": "calls", "text": "Nobody is told to call.", "patterns": ["call us"]},
            {"id": "kind", "text": "Kind."},
        ],
    }
)
DEVICE, CONDITION = DOMAIN.attributes.values()


def solution(name: str, attributes: dict[str, list[str]] | None = None, **changes: object) -> Solution:
    evidence = (Evidence("guide.md", 0, 9, "Charge it"),)
    return replace(
        Solution(f"s-{name}", "issue-1", "Charge it", ("Charge it",), from_lists(attributes or {}), evidence), **changes
    )


def judged(*named: str) -> tuple[Verdict, ...]:
    return tuple(Verdict(rule, verdict, "") for rule, verdict in zip(("calls", "kind"), named, strict=True))


@pytest.mark.parametrize(
    ("values", "closed", "opened"),
    [
        ({"Phone"}, 1, 1),
        ({"Phone", "Tablet"}, 1 / 2, 1 / 2),
        ({"Phone", "NONE"}, 1, 1),
        ({"Phone", "Tablet", "Laptop", "Watch"}, 1 / 4, 1 / 4),
        (ANY, 1 / 4, 0),
        (set(), 1 / 4, 0),
        (NONE, None, None),
    ],
)
def test_granularity_of_one_attribute(values: set[str], closed: float | None, opened: float | None) -> None:
    assert attribute_granularity(DEVICE, frozenset(values)) == closed
    assert attribute_granularity(CONDITION, frozenset(values)) == opened


def test_q_m_is_the_mean_of_the_means() -> None:
    fine = solution("1", {"device": ["Phone"], "condition": ["Asthma", "Gout"]})  # (1 + 1/2) / 2
    wide = solution("2", {"device": ["Phone", "Watch"], "condition": ["NONE"]})  # 1/2, the condition does not apply
    silent = solution("3")  # (1/4 + 0) / 2
    nothing = solution("4", {"device": ["NONE"], "condition": ["NONE"]})
    assert solution_granularity(nothing.attributes, DOMAIN) is None
    found = granularity([fine, wide, silent, nothing], DOMAIN, str)
    assert found.interval.value == pytest.approx((3 / 4 + 1 / 2 + 1 / 8) / 3)
    assert found.solutions == 3
    assert found.attributes["device"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert granularity([], DOMAIN, str).interval.value is None


def test_q_d_counts_those_not_judged_apart() -> None:
    found = compliance(
        [
            solution("1", rules=judged("kept", "not applicable")),
            solution("2", rules=judged("kept", "kept")),
            solution("3", rules=judged("broken", "not judged")),
            solution("4", rules=judged("kept", "not judged")),
            solution("5"),
        ],
        DOMAIN.rules,
        str,
    )
    assert found.interval.value == 2 / 3
    assert (found.judged, found.not_judged) == (3, 2)
    assert found.rules["kind"] == {"kept": 1, "not applicable": 1, "not judged": 3}


def test_q_d_of_repaired_and_of_edited_solutions() -> None:
    mended = solution("1", status="repaired", rules=judged("broken", "kept"))
    edited = solution("2", status="approved", rules=judged("kept", "kept"), steps=("Charge it", "Call us"))
    assert compliance([mended], DOMAIN.rules, str).interval.value == 1
    assert compliance([edited], DOMAIN.rules, str).interval.value == 0
    assert compliance([solution("3")], (), str).as_json() == {
        **dict.fromkeys(("value", "low", "high")),
        "by": "patterns",
        "judged": 0,
        "not_judged": 1,
        "rules": {},
    }


def test_quality_looks_at_displayed_solutions_only() -> None:
    shown = solution("1", {"device": ["Phone"], "condition": ["NONE"]}, rules=judged("kept", "kept"))
    hidden = solution("2", status="withheld", rules=judged("broken", "kept"))
    answer = evaluate_quality([hidden, shown], {}, DOMAIN).as_json()
    assert (answer["q_m"]["value"], answer["q_d"]["value"], answer["q_c"]["value"]) == (1, 1, None)
    assert answer["solutions"] == 1
    assert "kappa" not in answer


def test_agreement_by_hand() -> None:
    # 10 items answered twice: 5 yes/yes, 3 no/no, 2 yes/no; one more answered once.
    pairs = [(True, True)] * 5 + [(False, False)] * 3 + [(True, False)] * 2
    answers = {str(n): {"1": one, "2": two} for n, (one, two) in enumerate(pairs)} | {"x": {"2": True}}
    found = agree(answers)
    assert found.agreement == 0.8
    chance = 0.7 * 0.5 + 0.3 * 0.5
    assert found.kappa == pytest.approx((0.8 - chance) / (1 - chance))
    assert found.items == {**dict.fromkeys("01234", 1), **dict.fromkeys("567", 0), "8": 0.5, "9": 0.5, "x": 1}
    assert found.twice == 10
    assert agree({"a": {"1": True, "2": True}}).kappa is None
    assert agree({"a": {"1": True}}).agreement is None


def test_sheet_is_filled_in_and_read_back(tmp_path: Path) -> None:
    issues = {"issue-1": Issue("issue-1", '=1+1 "dead"\nbattery', None, {})}
    text = sheet([solution("b"), solution("a"), solution("w", status="withheld")], issues)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert all("Write yes into answer" in r["instructions"] for r in rows)
    asked = [(r["item"], r["annotator"], r["answer"]) for r in rows]
    assert asked[:2] == [("s-a", "1", ""), ("s-b", "1", "")]
    assert asked[2:] in ([("s-a", "2", "")], [("s-b", "2", "")])  # a tenth of the two, at least one
    rows = [{**r, "item": item} for r, item in zip([*rows, rows[-1]], ("s-a", "s-b", "s-a", "s-b"), strict=True)]
    assert rows[0]["issue"] == '\'=1+1 "dead"\nbattery'
    assert rows[0]["quotes"] == "Charge it"
    path = tmp_path / "sheet.csv"
    for separator in (",", ";"):
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=separator)
            writer.writeheader()
            writer.writerows(r | {"answer": answer} for r, answer in zip(rows, ["yes", "No", "YES ", ""], strict=True))
        assert read_sheet(path) == agree({"s-a": {"1": True, "2": True}, "s-b": {"1": False}})
    answer = evaluate_quality([], {}, DOMAIN, read_sheet(path)).as_json()
    assert (answer["q_c"]["value"], answer["agreement"], answer["kappa"]) == (0.5, 1, None)


def test_a_sample_stays_the_same() -> None:
    many = [solution(str(n)) for n in range(20)]
    assert sheet(many, {}, most=4) == sheet(reversed(many), {}, most=4)
    assert len(sheet(many, {}, most=4).splitlines()) == 1 + 4 + 1


def test_a_tenth_is_asked_twice_and_spread_over_the_trees() -> None:
    # 5 trees of a parent and a child, 40 solutions on each tree: 4 of each tree, a tenth, are asked twice.
    issues = {f"p{n}": Issue(f"p{n}", "Parent", None, {}) for n in range(5)}
    issues |= {f"c{n}": Issue(f"c{n}", "Child", f"p{n}", {}) for n in range(5)}
    many = [solution(f"{t}-{n}", issue_id=f"{'pc'[n % 2]}{t}") for t in range(5) for n in range(40)]
    rows = list(csv.DictReader(io.StringIO(sheet(many, issues))))
    twice = [r["item"] for r in rows if r["annotator"] == "2"]
    assert sorted(r["item"] for r in rows if r["annotator"] == "1") == sorted(s.id for s in many)
    assert [sum(item.startswith(f"s-{t}-") for item in twice) for t in range(5)] == [4] * 5
    assert sheet(list(reversed(many)), issues) == sheet(many, issues)


def test_intervals_draw_trees_and_then_solutions() -> None:
    # Within a tree all solutions are alike: of many solutions in two trees only two values are known.
    issues = {tree: Issue(tree, "Parent", None, {}) for tree in ("fine", "wide")}
    fine = [solution(f"f{n}", {"device": ["Phone"], "condition": ["NONE"]}, issue_id="fine") for n in range(50)]
    wide = [solution(f"w{n}", {"device": ["NONE"], "condition": ["Any"]}, issue_id="wide") for n in range(50)]
    sheet_read = agree({s.id: {"1": s.issue_id == "fine"} for s in (*fine, *wide)})
    answer = evaluate_quality([*fine, *wide], issues, DOMAIN, sheet_read).as_json()
    for figure in ("q_m", "q_c"):
        assert {end: answer[figure][end] for end in ("value", "low", "high")} == {"value": 0.5, "low": 0, "high": 1}
    assert (answer["q_d"]["value"], answer["q_d"]["low"], answer["q_d"]["high"]) == (None, None, None)


def test_q_d_says_who_judged_and_what_patterns_are_worth() -> None:
    by_patterns = [solution("1", rules=judged("kept", "kept"))]
    answer = evaluate_quality(by_patterns, {}, DOMAIN, rules_model="openai:any").as_json()
    assert (answer["q_d"]["value"], answer["q_d"]["by"]) == (1, "patterns")
    assert "1.0 by construction" in html_page("Quality", answer_tables(answer))
    by_model = [solution("1", rules=(Verdict("calls", "kept", NOTHING_NAMED), Verdict("kind", "kept", NOTHING_NAMED)))]
    answer = evaluate_quality(by_model, {}, DOMAIN, rules_model="openai:any").as_json()
    assert (answer["q_d"]["value"], answer["q_d"]["by"], "note" in answer["q_d"]) == (1, "openai:any", False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,annotator,answer\na,3,yes\n", "line 2 needs an item and an annotator"),
        ("item,annotator,answer\na,1,maybe\n", "line 2: the answer is 'maybe'"),
        ("item,annotator,answer\na,1,yes\na,1,no\n", "line 3: annotator 1 answered 'a' before"),
        ("item,annotator,answer\na,1,\n", "holds no answers"),
        ("item,answer\na,yes\n", "no column 'annotator'"),
        ("", "no column 'item'"),
    ],
)
def test_a_wrong_sheet_says_what_to_do(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"mine\.csv") as error:
        read_sheet(path)
    assert said in str(error.value)

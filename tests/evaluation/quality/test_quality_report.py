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
from autokb.evaluation.quality.annotation import agree, read_sheet, sheet
from autokb.evaluation.quality.compliance import compliance
from autokb.evaluation.quality.granularity import attribute_granularity, granularity, solution_granularity
from autokb.evaluation.quality.report import evaluate_quality

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
    found = granularity([fine, wide, silent, nothing], DOMAIN)
    assert found.value == pytest.approx((3 / 4 + 1 / 2 + 1 / 8) / 3)
    assert found.solutions == 3
    assert found.attributes["device"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert granularity([], DOMAIN).value is None


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
    )
    assert found.value == 2 / 3
    assert (found.judged, found.not_judged) == (3, 2)
    assert found.rules["kind"] == {"kept": 1, "not applicable": 1, "not judged": 3}


def test_q_d_of_repaired_and_of_edited_solutions() -> None:
    mended = solution("1", status="repaired", rules=judged("broken", "kept"))
    edited = solution("2", status="approved", rules=judged("kept", "kept"), steps=("Charge it", "Call us"))
    assert compliance([mended], DOMAIN.rules).value == 1
    assert compliance([edited], DOMAIN.rules).value == 0
    assert compliance([solution("3")], ()).as_json() == {"value": None, "judged": 0, "not_judged": 1, "rules": {}}


def test_quality_looks_at_displayed_solutions_only() -> None:
    shown = solution("1", {"device": ["Phone"], "condition": ["NONE"]}, rules=judged("kept", "kept"))
    hidden = solution("2", status="withheld", rules=judged("broken", "kept"))
    answer = evaluate_quality([hidden, shown], DOMAIN).as_json()
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
    assert found.correct == pytest.approx((5 + 0 + 2 * 0.5 + 1) / 11)
    assert (found.items, found.twice) == (11, 10)
    assert agree({"a": {"1": True, "2": True}}).kappa is None
    assert agree({"a": {"1": True}}).agreement is None


def test_sheet_is_filled_in_and_read_back(tmp_path: Path) -> None:
    issues = {"issue-1": Issue("issue-1", '=1+1 "dead"\nbattery', None, {})}
    text = sheet([solution("b"), solution("a"), solution("w", status="withheld")], issues)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["item"], r["annotator"], r["answer"]) for r in rows] == [
        ("s-a", "1", ""),
        ("s-b", "1", ""),
        ("s-a", "2", ""),
        ("s-b", "2", ""),
    ]
    assert rows[0]["issue"] == '\'=1+1 "dead"\nbattery'
    assert rows[0]["quotes"] == "Charge it"
    path = tmp_path / "sheet.csv"
    for separator in (",", ";"):
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=separator)
            writer.writeheader()
            writer.writerows(r | {"answer": answer} for r, answer in zip(rows, ["yes", "No", "YES ", ""], strict=True))
        assert read_sheet(path) == agree({"s-a": {"1": True, "2": True}, "s-b": {"1": False}})
    answer = evaluate_quality([], DOMAIN, read_sheet(path)).as_json()
    assert (answer["q_c"]["value"], answer["agreement"], answer["kappa"]) == (0.5, 1, None)


def test_a_sample_stays_the_same() -> None:
    many = [solution(str(n)) for n in range(20)]
    assert sheet(many, {}, most=4) == sheet(reversed(many), {}, most=4)
    assert len(sheet(many, {}, most=4).splitlines()) == 1 + 8


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

"""What a notebook shows of results: every text of the data is escaped, and nothing in it runs or loads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from autokb.app import SupportKB
from autokb.core.checks import Refusal
from autokb.core.nouns import Failure
from autokb.core.results import SHOWN_CHARACTERS
from autokb.core.spending import Figures, Tokens
from autokb.notebook.html import CONTROL
from autokb.notebook.progress import StageLine
from autokb.pipeline.build_report import BuildReport, StageReport
from autokb.pipeline.plan import BatchPlan, Plan
from autokb.plugins.lab.evaluation.compare import compare
from autokb.stores.workspace import Workspace
from autokb.text.control_characters import CONTROL_CHARACTER

HOSTILE = '<script>alert(1)</script><img src=x onerror=y>" onclick="z" \'a\'\u202e\u2067\x1b[2J&lt;'
TAGS = set("div style h3 h4 p b span ul li details summary table caption thead tbody tr th td progress".split())
ATTRIBUTES = {"class", "dir", "scope", "max", "value"}
CSS = Path(__file__).resolve().parents[2] / "src" / "autokb"


PAID = Figures(1_200, Tokens(34_567, 890), None)
PLAN = Plan(
    *(1_200, Tokens(34_567, 890), 1.5, 90.0, 3, 4, "economical"),
    stages={"trees": PAID, "rules": Figures(0, Tokens(0, 0), 0.0)},
    modes={"economical": PAID, "paper": Figures(9_876, Tokens(1, 2), 7.25)},
    batch=BatchPlan(0.75),
    paid=Figures(5, Tokens(1, 2), 0.125),
)


def with_hostile_texts(value: Any) -> Any:
    """Return a result with hostile text in front of each of its texts, the names of attributes and rules too."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return HOSTILE + value
    if is_dataclass(value) and not isinstance(value, type):
        texts = (f.name for f in fields(value) if f.name != "level")  # which is ours, and chooses fields
        return replace(value, **{name: with_hostile_texts(getattr(value, name)) for name in texts})
    if isinstance(value, Mapping):
        return {with_hostile_texts(name): with_hostile_texts(one) for name, one in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return type(value)(map(with_hostile_texts, value))
    return value


def results_of(kb: SupportKB) -> list[Any]:
    issue = next(one for one in kb.views.issues().items if "does not charge" in one.text)
    report = BuildReport(
        failures=(Failure("trees", "r1", "too long"),),
        stages={"trees": StageReport(1, 2, 3, 4.0)},
        notes=("A note.",),
        stopped="The budget is reached.",
        refusal=Refusal(("It is worse.",), ()),
    )
    return [
        kb.ask("the battery does not charge in the dock"),
        kb.ask("how do I bake bread"),
        kb.suggest("the battery does not charge in the dock"),
        kb.suggest("the battery does not charge in the dock").suggestions[0],
        kb.views.show_issue(issue.id),
        kb.views.show().trees[0],
        kb.views.solutions().items[0],
        kb.evaluate.quality(),
        kb.plan(),
        PLAN,
        kb.views.issues(),
        kb.views.issues(limit=1),
        kb.views.solutions(),
        kb.views.documents(),
        kb.sources(),
        compare(*({"systems": {"raw": {"metrics": {"mrr": {"value": share}}}}} for share in (0.5, 0.25))),
        report,
        StageLine("trees", 3, 4),
    ]


def check(html: str) -> str:
    """Return the text of a piece of HTML that has the elements and attributes of ours alone."""
    whole = lxml.html.fromstring(html)
    assert whole.get("class") == "autokb"
    for one in whole.iter():
        assert one.tag in TAGS and set(one.attrib) <= ATTRIBUTES, one.tag
        if one.tag == "style":
            assert "url(" not in one.text and "@import" not in one.text and "script" not in one.text
        assert not any(word in value for value in one.attrib.values() for word in ("script", "onclick", "alert"))
    whole.find("style").drop_tree()
    return str(whole.text_content())


def test_no_text_of_the_data_is_more_than_text(hand_made: Workspace) -> None:
    for result in results_of(SupportKB(hand_made)):
        plain, hostile = result._repr_html_(), with_hostile_texts(result)._repr_html_()
        assert "script" not in check(plain) and check(plain).strip()
        assert '<script>alert(1)</script><img src=x onerror=y>" onclick="z" \'a\'' in check(hostile)
        assert not CONTROL_CHARACTER.search(hostile)


def test_an_answer_says_what_ask_says(hand_made: Workspace) -> None:
    answer = SupportKB(hand_made).ask("the battery does not charge in the dock")
    said = check(answer._repr_html_())
    assert answer.outcome in said and answer.query in said and f"{answer.confidence:.2f}" in said
    for solution in answer.shown:
        assert all(step in said for step in solution.steps)
        assert all(f"[{e.start}:{e.end}]" in said and e.document in said for e in solution.evidence)


def test_the_control_characters_are_those_of_the_pages() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert CONTROL.findall(every) == CONTROL_CHARACTER.findall(every)


def test_the_colours_are_those_of_the_pages() -> None:
    pages = (CSS / "web/pages/static/autokb.css").read_text(encoding="utf-8").replace(", #", ",#")
    colours = re.findall(r"--[a-z]+:light-dark\(.*?\)", (CSS / "notebook/templates/style.css").read_text("utf-8"))
    assert len(colours) > 5 and all(one.replace(":", ": ", 1) in pages for one in colours)


def test_a_progress_that_has_no_items_is_none() -> None:
    assert (StageLine("trees", 0, 0).percent, repr(StageLine("trees", 1234, 2000))) == (0, "trees: 1,234 of 2,000")


def test_a_build_report_says_what_failed(hand_made: Workspace) -> None:
    said = check(results_of(SupportKB(hand_made))[-2]._repr_html_())
    assert all(word in said for word in ("too long", "A note.", "The budget is reached.", "It is worse."))


def test_a_plan_says_what_is_paid_where(hand_made: Workspace) -> None:
    said = check(PLAN._repr_html_().replace("</t", " </t"))
    said = " ".join(said.split())
    for words in ("requests 1,200", "cost 1.5000 USD", "seconds about 90", "trees 1,200 34,567 890 unknown"):
        assert words in said
    assert "paper 9,876 7.2500 USD" in said and "economical as a batch 1,200 0.7500 USD" in said
    assert "rules" not in said and "Paid for already: 5 requests, 0.1250 USD." in said
    offline = check(SupportKB(hand_made).plan()._repr_html_())
    assert "Stages" not in offline and "batch" not in offline


def test_a_list_shows_its_first_entries_and_says_of_more(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    issues = kb.views.issues()
    said = check(issues._repr_html_())
    assert f"{len(issues.items)} entries" in said and all(one.text in said and one.id in said for one in issues.items)
    assert "model: Glider or Hopper" in said and "Any" not in said and "more on the next page" not in said
    assert "1 entry; there are more on the next page" in check(kb.views.issues(limit=1)._repr_html_())
    many = replace(issues, items=(replace(issues.items[0], text="word " * 100),) * 30)
    said = check(many._repr_html_())
    assert "30 entries, the first 20 of them shown" in said and said.count("word") == 20 * SHOWN_CHARACTERS // 5
    assert check(replace(issues, items=())._repr_html_()).strip() == "Nothing is listed"


@pytest.mark.parametrize("question", ["the battery does not charge in the dock", "how do I bake bread"])
def test_it_is_small(hand_made: Workspace, question: str) -> None:
    assert len(SupportKB(hand_made).ask(question)._repr_html_()) < 12_000


def test_a_suggestion_that_a_person_wrote_says_so(hand_made: Workspace, tmp_path: Path) -> None:
    note = tmp_path / "dry.md"
    note.write_text(
        "# Robot in the rain\n\n1. Dry the robot with a cloth.\n2. Let it rest for an hour.\n", encoding="utf-8"
    )
    kb = SupportKB(hand_made)
    kb.curation.write("rain", note)
    found = kb.suggest("the robot stops in the rain")
    assert [one.is_by_hand for one in found.suggestions][:1] == [True]
    assert "written by hand" in found.suggestions[0]._repr_html_()
    cited = next(one for one in kb.suggest("the battery does not charge in the dock").suggestions if one.evidence)
    assert "written by hand" not in cited._repr_html_()

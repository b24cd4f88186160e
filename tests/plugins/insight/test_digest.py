"""The weekly page: every section told from what really happened, and no word of a customer becomes markup."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.in_use import LoggedQuestion
from autokb.core.reply_rules import OFF_TOPIC
from autokb.pipeline.steps.publish import KINDS
from autokb.plugins.insight.digest import SECTIONS
from autokb.stores.question_log import keep_questions
from autokb.stores.versions import Made
from autokb.stores.workspace import Workspace
from autokb.usage.weeks import today

HOSTILE = "<script>x</script> [gnome](javascript:x) **bold** | _a_ # `b` ![p](q)\n# heading"


def ago(days: int) -> str:
    return (today() - timedelta(days=days)).isoformat()


def section(markdown: str, title: str) -> str:
    return markdown.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    """A knowledge base with fourteen weeks of questions, of which the last four ask much about charging."""
    made = [(days, "charge" if days < 40 or days % 4 == 0 else "rain") for days in range(5, 110) for _ in range(2)]
    asked = [
        LoggedQuestion("q", "answered", "ask", f"{ago(days)}T08:00:00+00:00", issues=(node,)) for days, node in made
    ]
    asked += [LoggedQuestion(HOSTILE, "abstains", "ask", f"{ago(2)}T08:00:00+00:00") for _ in range(2)]
    SupportKB(hand_made).curation.approve(["s-ios"])
    with hand_made.file() as file, file.transaction():
        keep_questions(file, sorted(asked, key=lambda one: one.date))
        records = {(kind, i): body for kind, i, body in file.lines() if i not in ("s-hopper", "s-gloves")}
        body = json.loads(records["solution", "s-ios"])
        steps = [f"{body['steps'][0]} Wait.", *body["steps"][1:]]
        text = body["text"].replace(body["steps"][0], steps[0])
        records["solution", "s-ios"] = canonical_json({**body, "steps": steps, "text": text})
        file.publish(records, KINDS, Made("build", f"{ago(3)}T07:00:00+00:00"))
        with file.reading() as db:
            db.execute("UPDATE version SET body = json_set(body, '$.date', ?) WHERE number = 1", (ago(200),))
    opened = SupportKB(hand_made)
    for n in range(3):
        opened.usage.give_feedback(
            f"does not charge {n}", "used" if n else "rejected", "s-contacts", conversation=f"c{n}"
        )
    opened.usage.report_outcome("c1", resolved=True)
    return opened


def test_the_page_tells_what_happened(kb: SupportKB) -> None:
    found = kb.usage.digest(ago(7))
    assert (found.since, found.until) == (ago(7), ago(0))
    assert found.markdown.startswith(f"# lawn: {ago(7)} to {ago(0)}\n") and found.markdown.endswith("\n")
    assert [line[3:] for line in found.markdown.splitlines() if line.startswith("## ")] == [t for t, _ in SECTIONS]
    rises = section(found.markdown, "Trends")
    assert "- The battery does not charge in the dock (questions): " in rises and "its past rate (95 %: " in rises
    assert "- issues: None in these weeks" in rises
    assert "(2 times" in section(found.markdown, "New topics")
    assert f"(2 times, last {ago(2)})" in section(found.markdown, "Unanswered questions")
    changed = section(found.markdown, "Changes by builds")
    assert f"- Version 2, {ago(3)}, build: 5 documents, 11 issues, " in changed and "Version 1" not in changed
    assert "Solutions that readers see otherwise: 0 added, 2 removed, 1 changed." in changed
    helped = section(found.markdown, "What helped")
    assert "2 used, 0 edited, 1 rejected; accepted 67%" in helped and "- Clean the contacts: 2 times" in helped
    assert "with a used suggestion: 1 reported, resolved 100%" in helped
    assert "No publication has enough weeks" in section(found.markdown, "Effect of solutions")
    open_ones = kb.curation.stale().findings
    assert len(open_ones) == found.counts["rots"] > 0
    rotten = section(found.markdown, "Needs attention")
    assert f"- {open_ones[0].kind.replace('_', ' ')}: " in rotten
    place = next(place for one in open_ones for place in one.places if place.document)
    assert f"\n  - {place.document}: {place.quote}\n" in rotten.replace("\\", "")
    rest = {name: count for name, count in found.counts.items() if name != "rots"}
    assert rest == {"rises": 1, "new_topics": 1, "unanswered": 2, "published": 1, "suggestions_used": 2}
    kb.curation.settle_finding(open_ones[0].id)
    assert kb.usage.digest(ago(7)).counts["rots"] == len(open_ones) - 1
    kb.curation.settle_finding(open_ones[0].id, "open")
    assert kb.usage.digest(ago(7)) == found


def test_words_of_customers_become_no_markup(kb: SupportKB) -> None:
    page = MarkdownIt().render(kb.usage.digest(ago(7)).markdown)
    assert "gnome" in page
    assert not any(mark in page for mark in ("<script", "<a ", "<strong", "<em", "<code", "<img"))
    assert page.count("<h1") == 1 and page.count("<h2") == len(SECTIONS)


def test_a_day_without_hyphens_is_that_day_and_words_begin_no_list(kb: SupportKB) -> None:
    assert kb.usage.digest(ago(7).replace("-", "")) == kb.usage.digest(ago(7))
    texts = ["- a flood", "+ a storm", "1. a fire", "2) a frost"]
    asked = [LoggedQuestion(text, "abstains", "ask", f"{ago(2)}T08:00:00+00:00") for text in texts]
    with kb.workspace.file() as file, file.transaction():
        keep_questions(file, asked)
    page = MarkdownIt().render(section(kb.usage.digest(ago(7)).markdown, "Unanswered questions"))
    assert all(f"<li>{text} (once" in page for text in texts)
    assert page.count("<ul>") == 1 and "<ol" not in page


def test_a_quiet_week_says_so(hand_made: Workspace) -> None:
    with hand_made.file() as file, file.transaction(), file.reading() as db:
        db.execute("UPDATE version SET body = json_set(body, '$.date', ?) WHERE number = 1", (ago(9),))
    page = SupportKB(hand_made).usage.digest(ago(7)).markdown
    assert "No significant increase." in section(page, "Trends")
    assert f"No question since {ago(9)} was without a tree." in section(page, "New topics")
    assert "No question is unanswered." in section(page, "Unanswered questions")
    assert "Nothing was published." in section(page, "Changes by builds")
    assert "accepted not known" in section(page, "What helped")


def test_what_gaps_lists_is_unanswered_in_the_digest_too(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)

    def told(since: int) -> tuple[str, int]:
        found = kb.usage.digest(ago(since))
        return section(found.markdown, "Unanswered questions"), found.counts["unanswered"]

    def ask(text: str, days: int, reason: str = "") -> None:
        with hand_made.file() as file, file.transaction():
            keep_questions(
                file, [LoggedQuestion(text, "abstains", "ask", f"{ago(days)}T08:00:00+00:00", reason=reason)]
            )

    ask("is it going to rain", 2, OFF_TOPIC)
    page, count = told(7)
    assert f"- is it going to rain (once, last {ago(2)}, perhaps about something else)" in page
    assert count == 1 == kb.usage.gaps(100).questions_total and "before" not in page
    ask("the blades are bent", 30)
    page, count = told(7)
    assert f"1 unanswered question was last asked before {ago(7)}; autokb gaps lists all." in page and count == 1
    page, count = told(0)
    assert f"2 unanswered questions were last asked before {ago(0)}" in page and count == 0


def test_a_workspace_where_nothing_is_published_has_a_digest(tmp_path: Path) -> None:
    SupportKB.create(tmp_path / "kb")
    found = SupportKB.open(tmp_path / "kb").usage.digest(ago(7))
    assert "Nothing was published." in found.markdown and set(found.counts.values()) == {0}


def test_a_day_that_is_none_or_lies_ahead_is_refused(kb: SupportKB) -> None:
    for since in ("", "monday", ago(-2)):
        with pytest.raises(BadInputError, match="day"):
            kb.usage.digest(since)


def test_the_command_prints_the_page_or_writes_it(kb: SupportKB, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = kb.workspace.folder, kb.workspace.folder.parent / "digest.md"
    page = kb.usage.digest(ago(7)).markdown
    assert main(["digest", str(folder), "--since", ago(7)]) == 0
    assert capsys.readouterr().out == page
    assert main(["digest", str(folder), "--since", ago(7), "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == page and str(out) in capsys.readouterr().out.replace("\n", "")
    assert main(["trends", str(folder)]) == 0
    told = capsys.readouterr().out
    assert "rises  The battery does not charge in the dock (questions, tree)" in told and "in no tree: 1" in told

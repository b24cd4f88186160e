"""What the README and the page of measurements claim, against the figures that a benchmark stored."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
BASES = ("headphones", "medical", "thunderbird")  # the three knowledge bases of the benchmark provenance


@dataclass(frozen=True)
class Claim:
    """A piece of a page with a gap (``{}``) for each figure that stands there; ``figures`` are summed up.

    ``form`` is how it is printed: ``share`` as .82, ``bounds`` as .82 [.76, .89], ``per cent`` as 82, ``number`` as
    2,676, or a format such as ``.1f``; ``times`` is for another unit.
    """

    page: str
    piece: str
    result: str
    figures: Sequence[str]
    form: str = "number"
    times: float = 1.0

    def printed(self) -> str:
        """Return the piece as it must stand on the page."""
        return self.piece.format(self._figure())

    def _figure(self) -> str:
        found = stored(self.result)
        value = sum(found[name]["value"] for name in self.figures) * self.times
        match self.form:
            case "share":
                return short(value)
            case "bounds":
                low, high = re.findall(r"\d\.\d\d", found[self.figures[0]]["unit"])
                return f"{short(value)} [{low.lstrip('0')}, {high.lstrip('0')}]"
            case "per cent":
                return f"{100 * value:.0f}"
            case "number":
                return f"{value:,.0f}"
        return format(value, self.form)


@cache
def stored(result: str) -> dict[str, dict[str, Any]]:
    """Return the figures of a benchmark by their names."""
    figures = json.loads((RESULTS / f"{result}.json").read_text(encoding="utf-8"))["figures"]
    return {one["name"]: one for one in figures}


def short(value: float) -> str:
    """Return a share as the pages print it."""
    return f"{value:.2f}".removeprefix("0")


def words(page: str) -> str:
    """Return a page's text with each run of white space as one blank, since lines are wrapped."""
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


README, MEASURED, HOW_GOOD = "README.md", "docs/measured.md", "docs/how-good-is-it.md"
PAPERS = "docs/papers.md"
QUOTES = tuple(f"{base}.quotes" for base in BASES)
KILLS = ("sqlite.kills", "postgres.kills")
DISPLAYED = tuple(f"{base}.solutions_displayed" for base in BASES)
CLAIMS = (
    Claim(README, "asks, abstains) is right | {} |", "answers", ["report.outcome_right"], "bounds"),
    Claim(README, "one of the first three is | {};", "answers", ["report.first_shown_right"], "bounds"),
    Claim(README, "; {} | | off-topic questions", "answers", ["report.one_of_first_three_right"], "bounds"),
    Claim(README, "(another maker's product, prices) | {} |", "answers", ["report.off_topic_refused"], "bounds"),
    Claim(README, "refused all the same | {} (of 99) |", "answers", ["report.answerable_refused"], "share"),
    Claim(README, "questions that were justified | {} (of 10)", "answers", ["report.question_back_justified"], "share"),
    Claim(README, "the right ticket was first in {} %", "tickets", ["full.tickets.recall@1"], "per cent"),
    Claim(README, "among the first ten in {} %", "tickets", ["full.tickets.recall@10"], "per cent"),
    Claim(README, "{} % of the snippets of boilerplate got in", "chunk_noise", ["ours_must_not_let_in"], ".1f"),
    Claim(README, "got in and {} % of those of text were lost", "chunk_noise", ["ours_must_lost"], ".1f"),
    Claim(README, "killed at {} random points, no finished request was repeated", "killed_builds", KILLS),
    Claim(README, "265 issues and 100 documents took {}.", "cost", ["economical_calls"]),
    Claim(README, "all {} quotes of three knowledge bases were found there", "provenance", QUOTES),
    Claim(README, "matched a pattern of a rule (0 of {})", "provenance", DISPLAYED),
    Claim(README, "came from a right section in {} %", "conversations", ["history.one_of_three"], "per cent"),
    Claim(README, "a build takes {} s", "build", ["build"]),
    Claim(README, "s and {} MiB for 1,200 issues", "build", ["build_peak"]),
    Claim(README, "articles, {} s and", "build", ["with_extra"]),
    Claim(README, "s and {} MiB for 4,197 issues", "build", ["with_extra_peak"]),
    Claim(README, "A question of 12 words takes {} ms", "ask", ["7000.12_words.p50"]),
    Claim(README, "The installation takes {} MB", "installation", ["core"]),
    Claim(MEASURED, "(answered, asks, abstains) is right | {} |", "answers", ["report.outcome_right"], "bounds"),
    Claim(MEASURED, "the first solution shown is right | {} |", "answers", ["report.first_shown_right"], "bounds"),
    Claim(MEASURED, "one of the first three is right | {} |", "answers", ["report.one_of_first_three_right"], "bounds"),
    Claim(MEASURED, "the right document is first | {} |", "answers", ["report.right_document_first"], "bounds"),
    Claim(MEASURED, "quotes found at their place, three domains | {} of", "provenance", QUOTES),
    Claim(MEASURED, "(which withheld those that did) | 0 of {} |", "provenance", DISPLAYED),
    Claim(MEASURED, "| {} in paper mode", "cost", ["paper_calls"]),
    Claim(MEASURED, "solutions); {} in economical mode", "cost", ["economical_calls"]),
    Claim(MEASURED, "`ask` among 7,000 solutions, 12 words | p50 {} ms", "ask", ["7000.12_words.p50"]),
    Claim(MEASURED, "the same, 150 words | p50 {} ms", "ask", ["7000.150_words.p50"]),
    Claim(MEASURED, "is from a right section | {} [", "conversations", ["history.one_of_three"], "share"),
    Claim(MEASURED, "the first is | {} [", "conversations", ["history.first"], "share"),
    Claim(MEASURED, "change places, {} of 1,000 reports", "trends", ["tickets.4_weeks.shuffled.in_use"], "share"),
    Claim(MEASURED, "questions do, {}. A", "trends", ["questions.4_weeks.shuffled.in_use"], "share"),
    Claim(MEASURED, "in {} of the reports", "trends", ["tickets.times_3.from_2_a_week.in_use"], "share"),
    Claim(MEASURED, "one that doubles in {},", "trends", ["tickets.times_2.from_2_a_week.in_use"], "share"),
    Claim(MEASURED, "8 a week on in {} (", "trends", ["tickets_busy.times_2.from_8_a_week.in_use"], "share"),
    Claim(MEASURED, "one edited article of 97 | {} % of the items", "build", ["edited_article_computed"], "share", 100),
    Claim(MEASURED, "as the paper prints it | .46; {} |", "tickets", ["full.votes+sum.mrr"], "share"),
    Claim(MEASURED, "as the paper prints it | {}; .14 |", "tickets", ["full.votes.mrr"], "share"),
    Claim(PAPERS, "all pieces added up | | {} with whole", "tickets", ["full.votes+sum.mrr"], "share"),
    Claim(PAPERS, "with whole tickets, {} with titles |", "tickets", ["title.votes+sum.mrr"], "share"),
    Claim(PAPERS, "best piece of each section: {} and", "tickets", ["full.votes.mrr"], "share"),
    Claim(HOW_GOOD, "or abstains where it should | {} |", "answers", ["report.outcome_right"], "bounds"),
    Claim(HOW_GOOD, "one right section) | {} |", "answers", ["report.first_shown_right"], "bounds"),
    Claim(HOW_GOOD, "one of the first three is right | {} |", "answers", ["report.one_of_first_three_right"], "bounds"),
    Claim(HOW_GOOD, "the right document is first | {} |", "answers", ["report.right_document_first"], "bounds"),
    Claim(HOW_GOOD, "have the answer (of 99) | {} |", "answers", ["report.answerable_refused"], "share"),
    Claim(HOW_GOOD, "that are refused (of 21) | {} |", "answers", ["report.off_topic_refused"], "bounds"),
    Claim(HOW_GOOD, "product (of 12) | {} |", "answers", ["report.near_refused"], "bounds"),
    Claim(HOW_GOOD, "open, refused (of 11) | {} |", "answers", ["report.unanswerable_refused"], "bounds"),
    Claim(HOW_GOOD, "justified (of 10) | {} |", "answers", ["report.question_back_justified"], "bounds"),
    Claim(HOW_GOOD, "right section | {} [.51, .75]", "conversations", ["history.one_of_three"], "share"),
    Claim(HOW_GOOD, "[.51, .75] | {} [", "conversations", ["last_message.one_of_three"], "share"),
    Claim(HOW_GOOD, "the first is | {} [.30, .54]", "conversations", ["history.first"], "share"),
    Claim(HOW_GOOD, "[.30, .54] | {} [", "conversations", ["last_message.first"], "share"),
    *(
        Claim(HOW_GOOD, f"| {row} | {first}{{}}{after}", "retrieval", [f"{name}.hit_rate@{k}"], "share")
        for row, name, one in (
            ("BM25", "bm25", ".28"),
            ("vectors alone", "vectors", ".37"),
            ("both, on raw chunks", "raw", ".35"),
            ("autokb", "autokb+hr", ".55"),
            ("the same without past issues", "autokb+hr+nohistory", ".47"),
        )
        for k, first, after in ((1, "", " | "), (5, f"{one} | ", " |"))
    ),
    Claim(HOW_GOOD, "first solution is right in {};", "node_sections", ["first_right_where_an_answer_exists"], "share"),
    Claim(HOW_GOOD, "without an answer, {} show", "node_sections", ["shows_nothing_where_none_exists"], "share"),
    Claim(HOW_GOOD, "All {} quotes of three", "provenance", QUOTES),
    Claim(HOW_GOOD, "of a rule: 0 of {}.", "provenance", DISPLAYED),
    Claim(HOW_GOOD, "At {} random points", "killed_builds", KILLS),
    Claim(HOW_GOOD, "three is right in {} of", "languages", ["foreign.with.one_of_first_three_right"], "bounds"),
    Claim(HOW_GOOD, "it, in {} of the German", "languages", ["de.without.one_of_first_three_right"], "share"),
    Claim(HOW_GOOD, "12 words takes {} ms", "ask", ["7000.12_words.p50"]),
    Claim(HOW_GOOD, "articles takes {} s", "build", ["build"]),
    Claim(HOW_GOOD, "s and {} MiB", "build", ["build_peak"]),
)  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.piece}")
def test_a_page_claims_what_was_stored(claim: Claim) -> None:
    assert claim.printed() in words(claim.page)


def test_the_readme_shows_the_example_as_it_is(_built_headphones: Path) -> None:
    shown = SupportKB.open(_built_headphones).views.show()
    head = f"{shown.domain}: {shown.trees_in_all} trees, {shown.solutions} solutions"
    assert head in words(README)
    assert f"{shown.solutions} solutions that are shown" in words("docs/life-of-a-question.md")


def test_golden_tickets_are_as_the_paper_tables_have_them() -> None:
    tables = json.loads((RESULTS / "paper_tickets.json").read_text(encoding="utf-8"))["tables"]

    def row(table: int, name: str) -> list[str]:
        found = dict(zip(tables[table]["rows"], tables[table]["cells"], strict=True))[name]
        return [short(cell["value"]) for cell in found if cell["value"] is not None]

    ranks = f"ours; chunks of text | {row(0, 'Experiment')[0]}; {row(0, 'Baseline')[0]}; "
    answers = "; ".join(", ".join(row(1, arm)[:3]) for arm in ("Experiment", "Baseline"))
    assert ranks in words(MEASURED) and f"is not reproduced) | {answers} |" in words(MEASURED)


def test_nothing_was_found_elsewhere_and_no_request_was_paid_twice() -> None:
    provenance, kills = stored("provenance"), stored("killed_builds")
    assert all(provenance[f"{base}.quotes_at_their_place"]["value"] == 1 for base in BASES)
    assert all(provenance[f"{base}.displayed_breaking_a_pattern"]["value"] == 0 for base in BASES)
    assert all(kills[f"{store}.finished_repeated"]["value"] == 0 for store in ("sqlite", "postgres"))

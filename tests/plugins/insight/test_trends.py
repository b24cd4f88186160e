"""Trends, new topics and the effect of solutions, over generated dates in real workspaces."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.in_use import LoggedQuestion
from autokb.pipeline.open_index import OpenIndex
from autokb.pipeline.steps.publish import KINDS
from autokb.plugins.insight import dated_events
from autokb.plugins.insight.effects import Effect, in_order
from autokb.plugins.insight.rises import ALL, DatedEvents, Group, Trend, chance_of_rise, find_trends, first_week
from autokb.plugins.insight.trends import Trends, last_whole_week
from autokb.stats.counts import rate_ratio
from autokb.stores.question_log import keep_questions
from autokb.stores.versions import Made
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.usage.weeks import monday_of, today, week_name, week_of
from dated_decisions import judge

FIRST = week_of("2026-01-05")  # 2026-W02
assert FIRST is not None
PLACES = {"pair": "connection", "blades": "cutting", "charge": "power", "rain": "weather"}
Planned = dict[str, Sequence[int]]  # by tree, how many in each week from the first on


def day(week: int, n: int = 0) -> str:
    assert FIRST is not None
    return (monday_of(FIRST + week) + timedelta(days=n % 7)).isoformat()


def sunday(week: int) -> str:
    return day(week, 6)


def lay_issues(workspace: Workspace, planned: Planned, published: str, drop: Iterable[str] = ()) -> None:
    """Publish the knowledge base with these raw issues and without some solutions, at a time of one's own."""
    with workspace.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines() if kind != "raw_issue" and i not in drop}
        for tree, counts in planned.items():
            for week, count in enumerate(counts):
                for n in range(count):
                    body = {"text": f"{tree} {week} {n}", "date": day(week, n)}
                    if tree in PLACES:
                        body |= {"issue": tree, "theme": f"t-{PLACES[tree]}"}
                    records["raw_issue", f"{tree}-{week}-{n}"] = canonical_json(body)
        file.publish(records, KINDS, Made("build", published, forced_by="ann"))


def date_versions(workspace: Workspace, *dates: str) -> None:
    with workspace.file() as file, file.transaction(), file.reading() as db:
        for number, moment in enumerate(dates, 1):
            db.execute("UPDATE version SET body = json_set(body, '$.date', ?) WHERE number = ?", (moment, number))


def log(workspace: Workspace, asked: Iterable[LoggedQuestion]) -> None:
    with workspace.file() as file, file.transaction():
        keep_questions(file, sorted(asked, key=lambda one: one.date))


def question(moment: str, node: str = "", text: str = "q", **more: Any) -> LoggedQuestion:
    outcome = "answered" if node else "abstains"
    return LoggedQuestion(text, outcome, "ask", f"{moment}T10:00:00+00:00", issues=(node,) if node else (), **more)


def one(found: Trends, kind: str, name: str = "", source: str = "issues") -> Trend:
    (trend,) = (t for t in found.series if (t.kind, t.id, t.source) == (kind, name, source))
    return trend


STEADY = [2] * 14
TRIPLED = [*[2] * 10, *[8] * 4]


def test_a_tree_that_rises_is_told_and_the_others_are_not(hand_made: Workspace) -> None:
    planned = {"pair": STEADY, "blades": STEADY, "charge": TRIPLED, "rain": STEADY}
    lay_issues(hand_made, planned, "2026-06-01T00:00:00+00:00")
    found = SupportKB(hand_made).usage.trends(until=sunday(13))
    assert found.last == week_name((FIRST or 0) + 13) and found.until == sunday(13) and found.weeks == 4
    assert [(t.kind, t.id) for t in found.rising] == [("tree", "charge"), ("all", "")]
    charge = one(found, "tree", "charge")
    assert charge.name == "The battery does not charge in the dock" and charge.first == "2026-W03"
    assert (charge.counts, charge.recent, charge.past) == ((*[2] * 9, *[8] * 4), 32, 18)
    assert charge.ratio.value == pytest.approx(32 / 4 / (18 / 9)) and (charge.ratio.low or 0) > 1
    assert charge.chance is not None and charge.chance < 0.01
    assert not one(found, "tree", "pair").rises and one(found, "all").counts == (*[8] * 9, *[14] * 4)
    assert not any(t.kind == "theme" for t in found.series)  # of one tree each, which says the same
    assert json.loads(json.dumps(found.as_json())) == SupportKB(hand_made).usage.trends(until=sunday(13)).as_json()


def test_what_rises_with_everything_is_no_news_of_one_tree(hand_made: Workspace) -> None:
    lay_issues(hand_made, dict.fromkeys(PLACES, TRIPLED), "2026-06-01T00:00:00+00:00")
    found = SupportKB(hand_made).usage.trends(until=sunday(13))
    assert [t.kind for t in found.rising] == ["all"]


def test_a_constant_share_of_less_is_no_rise(hand_made: Workspace) -> None:
    fewer = [*[8] * 10, *[1] * 4]
    lay_issues(hand_made, {"pair": fewer, "blades": fewer, "charge": STEADY}, "2026-06-01T00:00:00+00:00")
    assert SupportKB(hand_made).usage.trends(until=sunday(13)).rising == ()


def test_a_stray_old_date_makes_no_weeks_of_zero() -> None:
    last = week_of("2025-12-28") or 0
    stray: tuple[int, tuple[Group, ...]] = (week_of("1970-01-01") or 0, ())
    young = [(week, ()) for week in range(last - 3, last + 1) for _ in range(5)]
    (told,), series = find_trends([DatedEvents("tickets", [stray, *young])], {}, last, 4)
    assert told.why.startswith("Too short") and not any(t.rises for t in series)
    assert first_week([1, 30, 40, 60], 50) == 30 and first_week([4, 30, 40], 50) == 4
    assert [first_week(weeks, 7) for weeks in ([], [9], [1], [7])] == [7, 7, 1, 7]


def test_a_theme_with_several_trees_has_a_series_of_its_own() -> None:
    trees: list[Group] = [("tree", "a"), ("tree", "b")]
    theme: Group = ("theme", "power")
    events = [(week, (tree, theme)) for week in range(12) for tree in trees]
    _, series = find_trends([DatedEvents("issues", events)], {}, 11, 2)
    assert {(t.kind, t.id): t.recent for t in series} == {ALL: 4, theme: 4, trees[0]: 2, trees[1]: 2}


def test_a_theme_leaves_out_the_trees_that_came_lately() -> None:
    theme: Group = ("theme", "power")
    old: list[Group] = [("tree", "a"), ("tree", "b")]
    events = [(week, (tree, theme)) for week in range(12) for tree in old]
    events += [(11, (("tree", "new"), theme)) for _ in range(20)]
    _, series = find_trends([DatedEvents("questions", events, begins={("tree", "new"): 10})], {}, 11, 1)
    assert {(t.kind, t.id): t.recent for t in series}[theme] == 2


def test_the_week_that_runs_and_the_first_one_do_not_count(hand_made: Workspace) -> None:
    lay_issues(hand_made, {"pair": [50, *[2] * 12, 50]}, "2026-06-01T00:00:00+00:00")
    for until in (day(13, 0), day(13, 5), sunday(12)):
        assert one(SupportKB(hand_made).usage.trends(until=until), "all").counts == (2,) * 12
    assert one(SupportKB(hand_made).usage.trends(until=sunday(13)), "all").counts[-1] == 50
    assert week_name(last_whole_week(None)) == week_name(last_whole_week("9999-12-31"))
    assert monday_of(last_whole_week(None) + 1) <= today() < monday_of(last_whole_week(None) + 2)


def test_weeks_are_those_of_iso_8601_in_utc() -> None:
    assert [week_name(week_of(one)) for one in ("2026-01-01", "2027-01-03", "2020-12-31", "2021-01-04")] == [
        "2026-W01",
        "2026-W53",
        "2020-W53",
        "2021-W01",
    ]
    assert week_name(week_of("2026-01-05T01:30:00+02:00")) == "2026-W01"  # still Sunday in UTC
    assert week_name(week_of("2026-01-04T23:30:00.000-0200")) == "2026-W02"
    assert [week_of(text) for text in ("", "2026-01", "2026", "soon", "2026-02-30")] == [None] * 5


def test_what_is_too_short_or_too_little_says_so(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    lay_issues(hand_made, {"pair": [1] * 9, "charge": [0, 0, 0, 0, 0, 1]}, "2026-06-01T00:00:00+00:00")
    short = kb.usage.trends(until=sunday(8))
    assert short.sources[0].why.startswith("Too short") and short.rising == ()
    assert all(t.why == short.sources[0].why and t.chance is None and t.ratio.value is None for t in short.series)
    enough = kb.usage.trends(weeks=1, until=sunday(9 - 1 + 1))
    assert "None in these weeks; the last is of" in enough.sources[0].why and not enough.series[0].rises
    lay_issues(hand_made, {"pair": [1] * 14, "charge": [0, 0, 0, 0, 0, 1]}, "2026-06-01T00:00:00+00:00")
    few = one(kb.usage.trends(until=sunday(13)), "tree", "charge")
    assert few.why.startswith("Too few") and few.chance is None


def test_what_has_no_date_is_counted_and_a_workspace_without_any_is_no_error(
    hand_made: Workspace, tmp_path: Path
) -> None:
    (source,) = SupportKB(hand_made).usage.trends(until="2025-06-01").sources
    assert (source.source, source.dated, source.undated, source.first, source.last) == (
        "issues",
        6,
        2,
        "2025-W01",
        "2025-W21",
    )
    empty = SupportKB.create(tmp_path / "empty").created
    assert empty is not None
    found = SupportKB.open(tmp_path / "empty").usage.trends()
    assert (found.sources, found.series, found.new, found.effects, found.since) == ((), (), (), (), "")


def test_a_wrong_day_or_number_is_said(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    for until in ("soon", "2026-13-01"):
        with pytest.raises(BadInputError, match="until is a day"):
            kb.usage.trends(until=until)
    for until in ("0001-01-01", "0001-12-31"):
        with pytest.raises(BadInputError, match="with weeks before it"):
            kb.usage.trends(until=until)
    assert kb.usage.trends(until="0003-01-01").rising == ()
    for weeks in (0, 27):
        with pytest.raises(BadInputError, match="1 to 26"):
            kb.usage.trends(weeks)


def test_questions_count_once_a_conversation_by_what_was_shown_first(hand_made: Workspace) -> None:
    date_versions(hand_made, "2025-01-01T00:00:00+00:00")
    asked = [question(day(week, n), "rain" if n < 2 else "pair-ios") for week in range(12) for n in range(4)]
    again = [question(day(11, 3), "charge", conversation="chat-1") for _ in range(5)]
    log(hand_made, [*asked, *again])
    found = SupportKB(hand_made).usage.trends(weeks=1, until=sunday(11))
    assert one(found, "tree", "charge", "questions").counts == (*[0] * 10, 1)
    assert one(found, "tree", "pair", "questions").counts == (2,) * 11  # by the root of the node


def test_a_tree_that_came_lately_does_not_rise_with_its_coming(hand_made: Workspace) -> None:
    lay_issues(hand_made, {}, day(8))
    date_versions(hand_made, "2025-01-01T00:00:00+00:00", f"{day(8)}T00:00:00+00:00")
    with hand_made.file() as file, file.transaction(), file.reading() as db:
        db.execute("UPDATE record SET since = 2 WHERE id = 'charge'")
    asked = [question(day(week, n), "rain") for week in range(14) for n in range(3)]
    log(hand_made, [*asked, *(question(day(week, n), "charge") for week in range(9, 14) for n in range(5))])
    found = SupportKB(hand_made).usage.trends(until=sunday(13))
    charge = one(found, "tree", "charge", "questions")
    assert charge.why.startswith("Too short") and not charge.rises and len(charge.counts) < 14
    assert one(found, "tree", "rain", "questions").why == "" and found.rising == (
        one(found, "all", source="questions"),
    )


def test_what_no_tree_answers_since_the_last_build_is_joined_and_named(hand_made: Workspace) -> None:
    date_versions(hand_made, f"{day(4)}T00:00:00+00:00")
    old = [question(day(3), text="the gnome scares my robot")]
    new = [question(day(5, n), text=f"the fountain floods my lawn{'!' * n}", conversation=f"c{n}") for n in range(3)]
    log(hand_made, [*old, *new, question(day(6), "rain"), question(day(6), text="hedgehog under the blades")])
    found = SupportKB(hand_made).usage.trends(until=sunday(6))
    assert found.since.startswith(day(4)) and found.new_total == 2
    assert [(t.asked, t.first[:10], t.last[:10]) for t in found.new] == [(3, day(5), day(5, 2)), (1, day(6), day(6))]
    assert "fountain" in found.new[0].name.casefold() and "hedgehog" in found.new[1].name.casefold()
    assert SupportKB(hand_made).usage.gaps().questions[0].id == found.new[0].gap
    for until in (day(5, 1), day(5, 1).replace("-", "")):
        assert SupportKB(hand_made).usage.trends(until=until).new[0].asked == 2


def test_what_a_solution_did_is_the_rate_before_and_after_it(hand_made: Workspace) -> None:
    busy = [*[6] * 8, 3, *[1] * 8]
    lay_issues(hand_made, {"charge": busy, "rain": [4] * 17}, day(0), drop=("s-contacts", "s-contacts-glider"))
    with hand_made.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines()}
        with file.reading() as db:
            for i, body in db.execute("SELECT id, body FROM past_record WHERE kind = 'solution'"):
                records["solution", i] = body
        records["raw_issue", "stray"] = canonical_json({"text": "stray", "date": "1970-01-05"})
        file.publish(records, KINDS, Made("build", f"{day(8)}T09:00:00+00:00"))
    date_versions(hand_made, "2025-01-01T00:00:00+00:00", f"{day(0)}T00:00:00+00:00")
    with hand_made.file() as file, file.transaction(), file.reading() as db:
        db.execute("DELETE FROM past_record WHERE kind = 'solution'")  # as where version 1 is not kept any more
    found = SupportKB(hand_made).usage.trends(until=sunday(16))
    (effect,) = (e for e in found.effects if not e.why)
    assert (effect.tree, effect.published, effect.source) == ("charge", week_name((FIRST or 0) + 8), "issues")
    assert set(effect.solutions) == {"s-contacts", "s-contacts-glider"}
    assert (effect.before, effect.weeks_before, effect.after, effect.weeks_after) == (42, 7, 8, 8)
    assert effect.ratio.value == pytest.approx(1 / 6) and (effect.ratio.high or 1) < 1
    early = SupportKB(hand_made).usage.trends(until=sunday(10))
    assert all(e.why for e in early.effects) and any(e.why.startswith("Too short") for e in early.effects)


def test_where_people_approve_a_solution_counts_from_its_first_approval(hand_made: Workspace) -> None:
    lay_issues(hand_made, {"charge": [3] * 17}, day(0))
    with hand_made.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines()}
        records["setting", "review"] = canonical_json({"show": "approved"})
        file.publish(records, [*KINDS, "setting"], Made("build", day(0)))
    date_versions(hand_made, *[f"{day(0)}T00:00:00+00:00"] * 3)
    wrong = f"{day(5)}T09:00:00+00:00"
    judge(hand_made, ["s-contacts"], "approve", author="ann", now=wrong)
    judge(hand_made, ["s-contacts"], "approve", author="ann", undo=True)
    for week, author in ((8, "ann"), (12, "bob")):
        judge(hand_made, ["s-contacts"], "reject", author=author, now=f"{day(week)}T07:00:00+00:00")
        judge(hand_made, ["s-contacts"], "approve", author=author, now=f"{day(week)}T09:00:00+00:00")
    (effect,) = SupportKB(hand_made).usage.trends(until=sunday(16)).effects
    assert (effect.tree, effect.solutions) == ("charge", ("s-contacts",))
    assert (effect.published, effect.weeks_before) == (week_name((FIRST or 0) + 8), 7)


def test_the_surest_and_largest_change_comes_first_and_then_the_newest() -> None:
    def effect(published: str, before: int, after: int) -> Effect:
        ratio = rate_ratio(after, before, 10, 10)
        return Effect("issues", published, "", (), published, 10, before, 10, after, ratio)

    found = [
        effect("2026-W01", 10, 10),
        effect("2026-W03", 60, 10),
        effect("2026-W02", 10, 40),
        effect("2026-W04", 9, 9),
    ]
    assert [one.published for one in in_order(found)] == ["2026-W03", "2026-W02", "2026-W04", "2026-W01"]


def test_a_solution_by_hand_counts_from_its_writing(hand_made: Workspace, tmp_path: Path) -> None:
    lay_issues(hand_made, {}, "", drop=("s-rain", "s-noapp"))
    now = week_of(today().isoformat()) or 0
    lay_issues(hand_made, {"rain": [0] * (now - (FIRST or 0) - 8) + [3] * 8}, "", drop=("s-rain", "s-noapp"))
    date_versions(hand_made, "")
    kb = SupportKB(hand_made)
    (tmp_path / "dry.md").write_text("Dry it\n\n1. Dry the rain sensor.\n", encoding="utf-8")
    kb.curation.write("rain", tmp_path / "dry.md", author="ann")
    (effect,) = kb.usage.trends().effects
    assert effect.published == week_name(week_of(today().isoformat())) and effect.why.startswith("Too short")


def test_tickets_have_series_by_component(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    records = [
        small_tickets.record(
            f"APP-{week}-{n}",
            f"It fails in week {week} ({n})",
            components=[{"name": name}] if name else [],
            created=f"{day(week, n)}T08:00:00.000+0000",
        )
        for week in range(14)
        for name, counts in {"Camera": TRIPLED, "Sound": [3] * 14, "": [1] * 14}.items()
        for n in range(
            {"Camera": 0, "Sound": 20, "": 40}[name], {"Camera": 0, "Sound": 20, "": 40}[name] + counts[week]
        )
    ]
    kb.add([small_tickets.write(tmp_path / "tickets.json", records)], "tickets")
    kb.tickets.build()
    found = kb.usage.trends(until=sunday(13))
    assert [(t.kind, t.name) for t in found.rising if t.kind != "all"] == [("component", "Camera")]
    assert one(found, "project", "APP", "tickets").counts == (1,) * 13


def test_added_conversations_fall_into_the_tree_that_answers_them(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"charge": "my robot does not charge in the dock", "": "do you sell pizza margherita"}
    lines = [
        {
            "id": f"c{week}-{n}",
            "messages": [
                {"role": "agent", "text": "Hello!", "date": f"{day(week, n)}T09:00:00"},
                {"role": "customer", "text": texts["charge" if n else ""], "date": f"{day(week, n)}T09:01:00"},
            ],
        }
        for week in range(12)
        for n in range(2)
    ]
    (tmp_path / "chats.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    kb = SupportKB(hand_made)
    kb.add([tmp_path / "chats.jsonl"], "chats")
    with monkeypatch.context() as patch:
        patch.setattr(dated_events, "MOST_CONVERSATIONS", 20)  # of 22 up to then
        some = kb.usage.trends(weeks=1, until=sunday(10))
        assert one(some, "all", source="conversations").counts == (2,) * 9 and some.sources[-1].dated == 20
        assert some.sources[-1].why == "Only the newest 20 were read."
    found = kb.usage.trends(weeks=2, until=sunday(11))
    assert found.sources[-1].why == "" and one(found, "tree", "charge", "conversations").counts == (1,) * 11
    assert one(found, "all", source="conversations").counts == (2,) * 11
    assert {t.id for t in found.series if t.source == "conversations" and t.kind == "tree"} == {"charge"}
    kb.close()


def test_conversations_are_asked_once_a_publication_and_in_no_transaction(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"role": "customer", "text": "my robot does not charge in the dock", "date": f"{day(3)}T09:00:00"}
    (tmp_path / "chats.jsonl").write_text(json.dumps({"id": "c1", "messages": [said]}), encoding="utf-8")
    kb = SupportKB(hand_made)
    kb.add([tmp_path / "chats.jsonl"], "chats")
    asked: list[str] = []
    files: list[WorkspaceFile] = []
    ask, open_file = OpenIndex.ask, Workspace.open_file

    def count(index: OpenIndex, text: str, *rest: Any, **named: Any) -> Any:
        asked.append(text)
        assert files and not any(file._db.in_transaction for file in files if not is_closed(file))
        return ask(index, text, *rest, **named)

    def keep(workspace: Workspace) -> WorkspaceFile:
        files.append(open_file(workspace))
        return files[-1]

    monkeypatch.setattr(OpenIndex, "ask", count)
    monkeypatch.setattr(Workspace, "open_file", keep)
    until = sunday(20)
    assert kb.usage.trends(until=until).sources[-1].dated == 1 and asked == [said["text"]]
    kb.curation.approve(["s-contacts"])
    kb.usage.trends(until=until)
    assert asked == [said["text"]], "an approval asks nothing anew"
    with hand_made.file() as file, file.transaction():
        records = {(kind, i): body for kind, i, body in file.lines() if kind == "document" and i != "rain.md"}
        file.publish(records, ["document"])
    kb.usage.trends(until=until)
    assert asked == 2 * [said["text"]], "a publication does"
    kb.close()


def is_closed(file: WorkspaceFile) -> bool:
    try:
        return file.meta("schema") is None
    except sqlite3.ProgrammingError:
        return True


def test_dates_that_are_dealt_out_anew_seldom_raise_an_alarm() -> None:
    dice = random.Random(1)
    groups: list[tuple[Group, ...]] = [(("component", f"c{dice.randrange(40)}"),) for _ in range(2_000)]
    start = date(2025, 1, 6)
    weeks = [week_of(str(start + timedelta(days=int(210 * dice.random() ** 1.5)))) or 0 for _ in groups]
    alarms = 0
    for _ in range(100):
        dice.shuffle(weeks)
        end = dice.randint(min(weeks) + 14, max(weeks) - 1)
        _, series = find_trends([DatedEvents("tickets", list(zip(weeks, groups, strict=True)))], {}, end, 4)
        alarms += any(t.rises for t in series if t.kind != "all")
    assert alarms <= 5  # 5 %; without the correction they are 12


def test_bursts_are_no_rise_of_a_series_that_comes_in_bursts() -> None:
    steady, bursts, other = [2] * 16, [0, 8, 0, 0] * 4, [6, 0, 6, 6] * 4  # as much in a month, and so in all of them
    assert chance_of_rise(("tree", "a"), [*steady, 8], [*(8 for _ in steady), 14], 1) < 0.02
    assert chance_of_rise(("tree", "a"), [*bursts, 8], [*map(sum, zip(bursts, other, strict=True)), 14], 1) > 0.2
    assert chance_of_rise(ALL, [*bursts, 8], [], 1) > 0.2 > 0.02 > chance_of_rise(ALL, [*steady, 8], [], 1)
    months = [0, 0, 0, 0, 5, 5, 5, 5]  # each week is like the one before it
    assert chance_of_rise(ALL, [*months, 5, 5, 5, 5], [], 4) > 0.2

"""Themes are the same whether they are read for many solutions or for one."""

from __future__ import annotations

from tests.work_count import builtin_calls

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.views.theme_names import ThemeNames


def test_many_are_read_at_once_and_named_as_one_by_one(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    note = hand_made.folder / "note.md"
    note.write_text("Wipe the sensor.\n\n1. Wipe it.\n")
    written = kb.curation.write("rain", note).id
    with hand_made.file() as file:
        solutions = [*(i for i, _ in file.records("solution")), written, "s-gone", ""]
        issues = [*(i for i, _ in file.records("issue")), "gone", ""]
        one_by_one, many = ThemeNames(file), ThemeNames(file, of_many=True)
        assert [many.of_issue(i) for i in issues] == [one_by_one.of_issue(i) for i in issues]
        named = [many.of_solution(i) for i in solutions]
        assert named == [one_by_one.of_solution(i) for i in solutions]
        assert {"power", "weather", ""} < set(named) and many.of_solution(written) == "weather"
        anew = ThemeNames(file, of_many=True)
        assert [anew.of_solution(i) for i in (solutions[0], "s-gone")] == [named[0], ""]
        assert builtin_calls("execute", lambda: [anew.of_solution(i) for i in solutions]) == 0
        ahead = ThemeNames(file)
        ahead.read_ahead(solutions, issues)
        assert builtin_calls("execute", lambda: [ahead.of_solution(i) for i in solutions]) == 0
        assert builtin_calls("execute", lambda: [ahead.of_issue(i) for i in issues]) == 0
        assert [ahead.of_solution(i) for i in solutions] == named
        alone, together = ThemeNames(file), ThemeNames(file)
        each = builtin_calls("execute", lambda: [*map(alone.of_solution, solutions), *map(alone.of_issue, issues)])
        assert 2 * builtin_calls("execute", lambda: together.read_ahead(solutions, issues)) < each

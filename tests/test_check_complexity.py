from __future__ import annotations

from pathlib import Path

import check_complexity

REASON = "# Complex: it is the longest one that is allowed."


def test_a_function_above_the_limit_is_named_with_its_file_and_figure(tmp_path: Path) -> None:
    most = check_complexity.MOST
    within, above = " and ".join("a" * most), " and ".join("a" * (most + 1))  # 1 for the function, 1 for each and
    lines = (
        *(REASON, "def simple(a):", f"    return {within}"),
        *("class One:", "    def method(self, a):", f"        return {above}"),
        *(REASON, "def outer(a):", "    def inner(a):", f"        return {above}", f"    return {within}"),
    )
    path = tmp_path / "a.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    starts = [
        f"{path}:{line}: {name} has a complexity of {most + 1} "
        for line, name in ((5, "One.method"), (9, "outer.inner"))
    ]
    found = check_complexity.refused(path)
    assert [sentence[: len(start)] for sentence, start in zip(found, starts, strict=True)] == starts


def test_loops_and_conditions_of_comprehensions_count(tmp_path: Path) -> None:
    loops = check_complexity.MOST // 2
    path = tmp_path / "a.py"
    lines = f"{REASON}\ndef f(a):\n    return [{', '.join(['[x for x in a if x]'] * loops)}]\n"
    path.write_text(lines, encoding="utf-8")
    assert not check_complexity.refused(path)
    path.write_text(f"def f(a):\n    return [{', '.join(['[x for x in a if x]'] * (loops + 1))}]\n", encoding="utf-8")
    assert len(check_complexity.refused(path)) == 1


def test_a_complex_function_says_why_and_a_simple_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    least = check_complexity.EXPLAINED
    for figure, above, complaint in (
        (least - 1, "", None),
        (least - 1, REASON, "which needs no reason"),
        (least, "", "say above it why"),
        (least, "# Complex:", "say above it why"),
        (least, f"{REASON}\n", "say above it why"),  # a blank line between
        (least, REASON, None),
        (check_complexity.MOST, f"{REASON}\n@cache", None),
        (check_complexity.MOST, f"@cache\n{REASON}", "say above it why"),
    ):
        path.write_text(f"{above}\ndef f(a):\n    return {' and '.join('a' * figure)}\n", encoding="utf-8")
        found = check_complexity.refused(path)
        assert [complaint in one for one in found] == ([] if complaint is None else [True]), (figure, above)


def test_a_call_with_many_arguments_names_them(tmp_path: Path) -> None:
    most = check_complexity.POSITIONAL
    path = tmp_path / "a.py"
    path.write_text(f"f({', '.join('a' * most)}, b=1)\ndigest({', '.join('a' * (most + 1))})\n", encoding="utf-8")
    assert not check_complexity.refused(path)
    path.write_text(f"o.f({', '.join('a' * (most + 1))})\n", encoding="utf-8")
    (sentence,) = check_complexity.refused(path)
    assert sentence.startswith(f"{path}:1: o.f is given {most + 1} arguments by position")

"""Hostile imports: exports torn, odd values in every field, circles, giant lines, and files that are none of ours."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.hostile_cases.case import MEGABYTE, Answered, Case, Command, many, write_parts
from benchmarks.serving import hand_made_kb

OSC_52 = "\x1b]52;c;aGk=\x07\x9b3;3H\u202e"
Line = dict[str, Any]

CASES: list[Case] = []
LINES: list[Line] = hand_made_kb.lines()
SAMPLES = {line["kind"]: line for line in reversed(LINES)} | {
    "verdict": {
        "kind": "verdict",
        "id": "v",
        "solution_id": "s-pair",
        "verdict": "hidden",
        "author": "a",
        "date": "2026-01-02",
        "number": 3,
    }
}


def written(line: Any) -> bytes:
    """Return a line of JSONL."""
    return json.dumps(line).encode() + b"\n"


def _export_is_taken_back(_here: Path, answered: Sequence[Answered]) -> str:
    """Complain of an export that holds what import refuses."""
    back = answered[-1].answer
    if answered[-1].status != 0:
        return "the workspace's own export could not be imported"
    return f"import refuses of its own export: {back['skipped'][0]}" if back.get("skipped") else ""


def _is_as_before(here: Path, answered: Sequence[Answered]) -> str:
    if (here / "before.jsonl").read_bytes() != (here / "after.jsonl").read_bytes():
        return "a file that was refused changed the workspace"
    return "" if answered[1].status == 2 else "a file that is no export of ours was not refused"


VIEWS = (Command("show {here}/kb", on_terminal=True),)
BACK = (Command("export {here}/kb {here}/again.jsonl"), Command("import {here}/kb {here}/again.jsonl --replace"))
LOOK = (Command("build {here}/kb --force --author ann"),)  # what is built is less than half of what was imported


def taken(
    name: str,
    make: Callable[[Path], object],
    base: str = "lawn",
    *,
    suffix: str = "jsonl",
    replace: bool = False,
    heavy: bool = False,
) -> None:
    """Add a case of a file some lines of which are good; afterwards the workspace can be looked at and exported."""
    words = f"import {{here}}/kb {{here}}/file.{suffix}{' --replace' if replace else ''}"
    into = {"lawn": "into a filled one", "empty": "into an empty one"}[base] + (", whole" if replace else "")
    CASES.append(
        Case(
            "imports",
            f"{suffix}: {name}, {into}",
            make,
            (Command(words), *VIEWS, *LOOK, *BACK),
            base,
            check=_export_is_taken_back,
            heavy=heavy,
        )
    )


def refused(name: str, make: Callable[[Path], object], file: str, *, heavy: bool = False) -> None:
    """Add a case of a file that must be refused and change nothing."""
    commands = (
        Command("export {here}/kb {here}/before.jsonl"),
        Command(f"import {{here}}/kb {file}"),
        Command("export {here}/kb {here}/after.jsonl"),
    )
    CASES.append(Case("imports", name, make, commands, "lawn", check=_is_as_before, heavy=heavy))


def lines(*more: Iterable[Any] | Callable[[], Iterable[bytes]], good: bool = True) -> Callable[[Path], object]:
    """Return what writes the good lines and others."""

    def make(here: Path) -> object:
        parts: list[bytes | Iterable[bytes]] = [b"".join(map(written, LINES if good else []))]
        parts += [part() if callable(part) else map(written, part) for part in more]
        return write_parts(here / "file.jsonl", *parts)

    return make


def raw(data: bytes, file: str = "file.jsonl") -> Callable[[Path], object]:
    """Return what writes these bytes."""
    return lambda here: write_parts(here / file, data)


# -- odd values -----------------------------------------------------------------------------------------------


def _nested(depth: int) -> Any:
    found: Any = "x"
    for _ in range(depth):
        found = [found]
    return found


ODD_VALUES: dict[str, list[Any]] = {
    "nothing": [None, "", [], {}, [""], [None]],
    "numbers": [0, -1, 10**400, -(10**400), 2**63, 1.5, 1e308, True],
    "no numbers": [float("nan"), float("inf"), float("-inf")],
    "other kinds": [[[]], {"a": {}}, [{"a": 1}], _nested(200), [1, "a"], {"": ""}],
    "long texts": ["x" * 300_000, "a " * 150_000, ["y" * 300_000], "\n" * 100_000],
    "control characters": [OSC_52, "\ud83d", "\x00", "\ud83d\n\r\u2028", [OSC_52], {OSC_52: [OSC_52]}],
}


def odd_lines(values: Sequence[Any]) -> Iterator[Line]:
    """Give each kind of line with each of its fields replaced by each value."""
    count = 0
    for sample in SAMPLES.values():
        for field in sample:
            for value in values:
                count += 1
                yield {**sample, "id": f"odd-{count}", field: value}


for _name, _values in ODD_VALUES.items():
    taken(f"{_name} in every field", lines(odd_lines(_values)), "empty")
taken("numbers in every field", lines(odd_lines(ODD_VALUES["numbers"])))
taken("control characters in every field", lines(odd_lines(ODD_VALUES["control characters"])))
taken("numbers in every field", lines(odd_lines(ODD_VALUES["numbers"])), replace=True)
taken("other kinds in every field", lines(odd_lines(ODD_VALUES["other kinds"])), replace=True)


# -- torn, giant, in circles ----------------------------------------------------------------------------------

WHOLE = b"".join(map(written, LINES))
HALF = WHOLE[: len(WHOLE) // 2]
ISSUE = SAMPLES["issue"]
SOLUTION = SAMPLES["solution"]
EDIT = {"kind": "edit", "solution_id": "s-rain", "text": "Dry it\nDry it well.", "author": "ann", "date": "2026-01-02"}


def _long_chain(count: int) -> Iterator[Line]:
    for n in range(count):
        yield {**ISSUE, "id": f"chain-{n}", "parent_id": f"chain-{n - 1}" if n else None}


for _base in ("empty", "lawn"):
    taken("torn in a line", raw(HALF), _base)
    taken(
        "torn lines between others",
        raw(b"\n".join(line[: len(line) // (1 + n % 3)] for n, line in enumerate(WHOLE.split(b"\n")))),
        _base,
    )
    taken("doubled ids", lines(LINES, [{**line, "text": "another"} for line in LINES]), _base)
    taken(
        "edits without order",
        lines(
            [
                {**EDIT, "id": f"e{n}", "number": number, "text": f"Dry it\nDry it {n} times."}
                for n, number in enumerate((0, 0, 10**15, 10**15, 5, 5, 1, 2**53, -1, 10**16))
            ]
        ),
        _base,
    )
    taken(
        "dates of all time",
        lines(
            [
                {**EDIT, "id": f"d{n}", "text": f"Dry it\nDry it {n}.", "date": date}
                for n, date in enumerate(("9999-12-31T23:59:60", "-1", "0000-00-00", "now", "1e999", OSC_52))
            ]
        ),
        _base,
    )
taken(
    "parents in circles",
    lines(
        [
            {**ISSUE, "id": "a", "parent_id": "b"},
            {**ISSUE, "id": "b", "parent_id": "a"},
            {**ISSUE, "id": "c", "parent_id": "c"},
        ]
    ),
    "empty",
)
taken("a chain of 20,000 nodes", lines(_long_chain(20_000)), "empty")
taken(
    "evidence out of its document",
    lines(
        [
            {**SOLUTION, "id": f"s{n}", "evidence": [{"document": "rain.md", "start": start, "end": end, "quote": "x"}]}
            for n, (start, end) in enumerate(((-5, 3), (10**18, 10**18 + 1), (5, 2), (0, 10**400), (0, 0)))
        ]
    ),
    "empty",
)
taken(
    "20,000 edits of one solution",
    lines([{**EDIT, "id": f"e{n}", "number": n + 1, "text": f"Dry it\nDry it {n} times."} for n in range(20_000)]),
    "empty",
    heavy=True,
)
taken(
    "20,000 edits of one solution",
    lines([{**EDIT, "id": f"e{n}", "number": n + 1, "text": f"Dry it\nDry it {n} times."} for n in range(20_000)]),
    heavy=True,
)
taken(
    "a million lines that are none",
    lines(lambda: (b'{"kind": "theme", "id": "t%d"}\n' % n for n in range(MEGABYTE))),
    "empty",
    heavy=True,
)
taken(
    "a million themes",
    lines(lambda: (b'{"kind": "theme", "id": "t%d", "name": "n"}\n' % n for n in range(MEGABYTE))),
    "empty",
    heavy=True,
)
taken(
    "a line of 60 MB",
    lines(
        lambda: (b'{"kind": "document", "id": "big", "title": "t", "text": "', *many(b"word ", 12 * MEGABYTE), b'"}\n')
    ),
    "empty",
    heavy=True,
)
taken(
    "a line 100,000 deep",
    lines(lambda: (b'{"kind": "theme", "id": "t", "name": ', b"[" * 100_000, b"]" * 100_000, b"}\n")),
    "empty",
)
taken(
    "ids nobody can type",
    lines(
        [
            {**SAMPLES["theme"], "id": i}
            for i in ("", " ", "\n", OSC_52, "\ud83d", "x" * 500_000, "../../a", "-- DROP", "=1+1", "\u202e")
        ]
    ),
    "empty",
)
taken(
    "settings that are none",
    lines(
        [
            {"kind": "setting", "id": "gate", "threshold": 10**400},
            {"kind": "setting", "id": "gate", "threshold": float("nan")},
            {"kind": "setting", "id": "weights", "dense": float("inf")},
            {"kind": "setting", "id": "weights", "dense": []},
            {"kind": "setting", "id": "domain", "yaml": "a: &a [*a]"},
            {"kind": "setting", "id": "domain", "yaml": ""},
            {"kind": "setting", "id": "x" * 5_000, "y": _nested(500)},
        ]
    ),
    "empty",
)


# -- Markdown and CSV -----------------------------------------------------------------------------------------


def markdown(*parts: bytes | Iterable[bytes]) -> Callable[[Path], object]:
    """Return what writes a Markdown file with a mark of ours and other parts."""
    good = b"<!-- solution s-rain (displayed) -->\nDry it\n\nDry the rain sensor carefully.\n<!-- end -->\n"
    return lambda here: write_parts(here / "file.md", good, *parts)


taken("marks never ended", markdown(b"<!-- solution s-pair (displayed) -->\n" * 50_000), suffix="md")
taken(
    "texts of 5 MB",
    markdown(b"<!-- solution s-pair (displayed) -->\n", many(b"word ", MEGABYTE), b"\n<!-- end -->\n"),
    suffix="md",
    heavy=True,
)
taken(
    "control characters and marks in marks",
    markdown(
        f"<!-- solution {OSC_52} ({OSC_52}) {OSC_52} -->\n<!-- solution s-pair (displayed) --> -->\n".encode(),
        f"{OSC_52}\n<!-- end -->\n<!-- end -->".encode(),
    ),
    suffix="md",
)
taken("a million other lines", markdown(many(b"other line\n", MEGABYTE)), suffix="md", heavy=True)
GOOD_ROW = b"solution_id,text,checksum\ns-rain,Dry it carefully,\n"
taken(
    "a cell of 9 MB", raw(GOOD_ROW + b's-pair,"' + b"word " * 1_800_000 + b'"\n', "file.csv"), suffix="csv", heavy=True
)
taken(
    "a cell of 12 MB", raw(GOOD_ROW + b's-pair,"' + b"word " * 2_400_000 + b'"\n', "file.csv"), suffix="csv", heavy=True
)
taken("odd rows", raw(GOOD_ROW + f"s-pair,{OSC_52},x\ns-pair\n,,,,,\n=1,@2,+3\n".encode(), "file.csv"), suffix="csv")
taken("300,000 rows of nobody", raw(GOOD_ROW + b"nobody,text,\n" * 300_000, "file.csv"), suffix="csv", heavy=True)
refused("csv: a quote never closed", raw(GOOD_ROW + b's-pair,"' + b"word\n" * 100_000, "file.csv"), "{here}/file.csv")
refused("csv: other columns", raw(b"a,b\n" * 100_000, "file.csv"), "{here}/file.csv")
refused("csv: 200,000 columns", raw(b"a," * 200_000 + b"\n", "file.csv"), "{here}/file.csv")


# -- what is no export ----------------------------------------------------------------------------------------


def _sparse(here: Path) -> None:
    with (here / "file.jsonl").open("wb") as empty:
        empty.truncate(500 * MEGABYTE)


refused("foreign: a picture", raw(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100), "{here}/file.jsonl")
refused("foreign: a database", lambda _here: None, "{here}/kb/knowledge.db")
refused(
    "foreign: a database named .md",
    lambda here: (here / "x.md").symlink_to(here / "kb" / "knowledge.db"),
    "{here}/x.md",
)
refused("foreign: somebody else's records", raw(b'{"_index": "a", "_source": {}}\n' * 10_000), "{here}/file.jsonl")
refused("foreign: Markdown without marks", raw(b"# A page\n\nwords\n", "file.md"), "{here}/file.md")
refused("foreign: UTF-16", raw(WHOLE.decode().encode("utf-16")), "{here}/file.jsonl")
refused("foreign: nothing", raw(b""), "{here}/file.jsonl")
refused("foreign: 500 MB without content", _sparse, "{here}/file.jsonl", heavy=True)
refused("foreign: a wrong suffix", raw(WHOLE, "file.json"), "{here}/file.json")
refused("foreign: a folder", lambda here: (here / "file.jsonl").mkdir(), "{here}/file.jsonl")
refused("foreign: a pipe", lambda here: os.mkfifo(here / "file.jsonl"), "{here}/file.jsonl")
refused(
    "foreign: a device", lambda here: (here / "file.jsonl").symlink_to("/dev/zero"), "{here}/file.jsonl", heavy=True
)
refused("foreign: its own link", lambda here: (here / "file.jsonl").symlink_to("file.jsonl"), "{here}/file.jsonl")
refused("foreign: Markdown with --replace", raw(b"# A page\n", "file.md"), "{here}/file.md --replace")

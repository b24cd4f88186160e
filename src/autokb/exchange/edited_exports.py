"""Solution texts that a person edited in the Markdown or CSV of an export, and what else was changed there."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autokb.core.errors import BadInputError
from autokb.core.nouns import KnowledgeBase, Skipped
from autokb.exchange.export_kb import CSV_COLUMNS, checksum, csv_rows, markdown, same_text
from autokb.text.inert_markdown import unmasked
from autokb.text.spreadsheet_cells import unguarded

MARK = re.compile(r"<!-- solution (.+) \(([a-z]+)\)(?: ([0-9a-f]{16}))? -->")
END = "<!-- end -->"
ONLY_TEXTS = "only the texts of solutions are taken"
NAMED = 20  # changes of one file that are named one by one


@dataclass(frozen=True, slots=True)
class ExportedText:
    """The text of one solution in a file; ``checksum`` is that of the text as it was exported, where the file says it.

    Without one a text counts as edited when it differs from the solution's present text.
    """

    text: str
    checksum: str = ""

    @property
    def is_untouched(self) -> bool:
        """Return whether the file says that nobody edited the text since the export."""
        return self.checksum == checksum(self.text)


@dataclass(frozen=True, slots=True)
class ExportedTexts:
    """The texts of a file by solution id, and the changes in it that cannot be taken."""

    texts: Mapping[str, ExportedText]
    skipped: tuple[Skipped, ...]


def read_markdown(text: str, name: str, kb: KnowledgeBase) -> ExportedTexts:
    """Read an edited Markdown export."""
    blocks, outside = _blocks(same_text(text))
    if kb.solutions and not blocks:
        raise BadInputError(
            f"{name} holds no solution marks as export writes them; export the Markdown, edit its texts."
        )
    found = ((b.solution_id, ExportedText(same_text(unmasked(b.text)), b.checksum)) for b in blocks if b.closed)
    texts, skipped = _first_ones(found, name)
    skipped += [
        Skipped(f"{name}: {b.solution_id}", f"the line {END} after its text is missing; put it back")
        for b in blocks
        if not b.closed
    ]
    statuses = {s.id: s.status for s in kb.solutions.values()}
    skipped += [
        Skipped(f"{name}: {b.solution_id}", f"its status was changed to {b.status}; {ONLY_TEXTS}")
        for b in blocks
        if statuses.get(b.solution_id, b.status) != b.status
    ]
    ours = Counter(line for _, line in _blocks(same_text(markdown(kb)))[1])
    return ExportedTexts(texts, (*skipped, *_shortened(_new_lines(outside, ours, name), name)))


@dataclass(frozen=True, slots=True)
class _Block:
    solution_id: str
    status: str
    checksum: str
    text: str
    closed: bool


def _blocks(text: str) -> tuple[list[_Block], list[tuple[int, str]]]:
    """Split a text into the blocks between our marks and the numbered lines outside of them."""
    blocks: list[_Block] = []
    outside: list[tuple[int, str]] = []
    mark: re.Match[str] | None = None
    held: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        found = MARK.fullmatch(line.strip())
        if mark is not None and (found or line.strip() == END or number > text.count("\n") + 1):
            closed = line.strip() == END
            blocks.append(_Block(unmasked(mark[1]), mark[2], mark[3] or "", "\n".join(held).strip(), closed))
            mark, held = None, []
        elif mark is not None:
            held.append(line)
        elif line.strip() and not found:
            outside.append((number, line.strip()))
        mark = found or mark
    return blocks, outside


def _new_lines(outside: list[tuple[int, str]], ours: Counter[str], name: str) -> Iterator[Skipped]:
    left = ours.copy()
    for number, line in outside:
        if left[line]:
            left[line] -= 1
        else:
            yield Skipped(f"{name}:{number}", f"stands outside the solution marks; {ONLY_TEXTS}")


def read_csv(text: str, name: str, kb: KnowledgeBase) -> ExportedTexts:
    """Read an edited CSV export; semicolons and tabs, which some spreadsheets write, are understood."""
    rows = _rows(text)
    found = (
        (row["solution_id"], ExportedText(same_text(row["text"]), row.get("checksum", "").strip())) for row in rows
    )
    texts, skipped = _first_ones(found, name)
    ours = {row[0]: dict(zip(CSV_COLUMNS, row, strict=True)) for row in csv_rows(kb)}
    return ExportedTexts(texts, (*skipped, *_shortened(_other_columns(rows, ours, name), name)))


def _rows(text: str) -> list[dict[str, str]]:
    csv.field_size_limit(10_000_000)
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    _refuse_torn(text, delimiter)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        if not {"solution_id", "text"} <= set(reader.fieldnames or ()):
            raise BadInputError("The CSV needs the columns solution_id and text, as export writes them.")
        found = [{name: unguarded(row.get(name) or "") for name in CSV_COLUMNS if name in row} for row in reader]
    except csv.Error as error:
        raise BadInputError(
            f"The CSV cannot be read ({error}); save it as CSV again, with quotes where needed."
        ) from error
    return [row | {"solution_id": row["solution_id"].strip()} for row in found]


def _refuse_torn(text: str, delimiter: str) -> None:
    """Refuse a table that ends inside of a quoted cell: the rest of the file would be taken for the cell's text."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise BadInputError("The CSV has a quoted cell that is never closed; add the missing quote.") from error


def _other_columns(rows: list[dict[str, str]], ours: Mapping[str, Mapping[str, str]], name: str) -> Iterator[Skipped]:
    for row in rows:
        own = ours.get(row["solution_id"])
        changed = [
            n
            for n, value in row.items()
            if own and n not in ("text", "checksum") and same_text(value) != same_text(own[n])
        ]
        if changed:
            yield Skipped(f"{name}: {row['solution_id']}", f"its {', '.join(changed)} was changed; {ONLY_TEXTS}")


def _first_ones(pairs: Iterator[tuple[str, ExportedText]], name: str) -> tuple[dict[str, ExportedText], list[Skipped]]:
    texts: dict[str, ExportedText] = {}
    skipped = []
    for solution_id, text in pairs:
        if solution_id in texts:
            skipped.append(Skipped(f"{name}: {solution_id}", "stands twice in the file; its first text was taken"))
        else:
            texts[solution_id] = text
    return texts, skipped


def _shortened(skipped: Iterator[Skipped], name: str) -> list[Skipped]:
    found = list(skipped)
    if len(found) <= NAMED:
        return found
    return [*found[:NAMED], Skipped(name, f"{len(found) - NAMED} more changes of this kind were not taken")]

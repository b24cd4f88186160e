"""The table of what annotators said of solutions on the page of the sheet; of this workspace alone, in no export."""

from __future__ import annotations

from autokb.core.nouns import Annotation
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_IN_USE
from autokb.stores.sql import put
from autokb.stores.workspace_file import WorkspaceFile

KIND = "annotation"
COLUMNS = "item, annotator, text_hash, is_correct, author, date"


def keep_annotation(file: WorkspaceFile, given: Annotation) -> None:
    """Store an answer in the place of what the same annotator said of the item before; call it in a transaction."""
    row = (given.item, given.annotator, given.text_hash, int(given.is_correct), given.author, given.date)
    file.change(put(KIND, COLUMNS, key="item, annotator"), row)


def drop_annotation(file: WorkspaceFile, item: str, annotator: str) -> None:
    """Take an answer back; call it in a transaction."""
    file.change("DELETE FROM annotation WHERE item = ? AND annotator = ?", (item, annotator))


def read_annotations(file: WorkspaceFile) -> list[Annotation]:
    """Return all answers, also those to texts that are no longer so."""
    select = f"SELECT {COLUMNS} FROM annotation ORDER BY item, annotator"
    return [_read_row(row) for row in file.rows(select, lacked_by=BEFORE_IN_USE)]


def _read_row(row: tuple[object, ...]) -> Annotation:
    item, annotator, text_hash, is_correct, author, date = row
    texts = [text for text in (item, annotator, text_hash, author, date) if isinstance(text, str)]
    with damaged_rows(KIND):
        if len(texts) < 5 or is_correct not in (0, 1):
            raise DamagedRowError(KIND)
    item, annotator, text_hash, author, date = texts
    return Annotation(item, annotator, text_hash, bool(is_correct), author, date)

"""A source for ``autokb sync``: a file of JSON lines, each a note with ``id``, ``title``, ``text``, ``changed``."""

import json
from collections.abc import Iterator
from pathlib import Path

from autokb.core.nouns import Document
from autokb.core.source_settings import SourceSettings
from autokb.feeds.items import Item, Progress, Step
from autokb.net.fetch import FeedError, Fetcher
from autokb.sources import SourceRecord
from autokb.stores.workspace import Workspace

AT_ONCE = 100  # notes of one step, which is stored whole


def read_vault(workspace: Workspace, source: SourceSettings, fetcher: Fetcher, progress: Progress) -> Iterator[Step]:
    """Give the notes that are new or changed, in steps; the last one completes the listing, so others are gone."""
    path = workspace.folder / str(source.options.get("path", ""))
    if not path.is_file():
        raise FeedError(f"There is no file {source.options.get('path')!r}; write path: in its source.")
    listing = int(progress.cursor.get("listing", 0)) + 1
    notes = _read(path)
    for start in range(0, max(len(notes), 1), AT_ONCE):
        part = notes[start : start + AT_ONCE]
        items = tuple(_item(note, source, progress) for note in part)
        yield Step(items, {"listing": listing}, complete=start + AT_ONCE >= len(notes))


def _read(path: Path) -> list[dict[str, str]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except ValueError as error:
        raise FeedError("A line of the vault is no JSON; mend it.") from error


def _item(note: dict[str, str], source: SourceSettings, progress: Progress) -> Item:
    """Return a note; without a text where it is as it is known."""
    stamp = {"changed": str(note.get("changed", ""))}
    known = progress.known.get(note["id"])
    if known is not None and known.stamp == stamp:
        return Item(note["id"])
    text = f"# {note['title']}\n\n{note['text']}\n"
    document = Document(f"{source.name}/{note['id']}", note["title"], text)
    return Item(note["id"], stamp, SourceRecord(document, "", note["id"]))

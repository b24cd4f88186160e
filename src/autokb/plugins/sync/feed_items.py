"""Items of a feed become staged documents, tickets or issues; an item and what is known of it are stored together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.app.add import TOO_MANY_GONE, added_today, differs, repeated_blocks, staged_documents
from autokb.app.synced import SyncedSource
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import RawIssue, Skipped
from autokb.core.source_settings import SourceSettings
from autokb.core.tickets import Ticket
from autokb.feeds.items import Doubt, Item, Known, Progress, Step
from autokb.net.fetch import FeedError
from autokb.plugins.sync.guards import (
    NO_ITEM,
    UNDECIDED,
    against_change,
    count_documents,
    hold,
    is_copy,
    is_hidden,
    kept_of,
    not_taken,
    stand_ins,
    template_mark,
    text_mark,
)
from autokb.sources.issues import LONGEST_ISSUE
from autokb.sources.outside_readers import left_out
from autokb.sources.reading import SourceRecord
from autokb.stores.codecs import RAW_ISSUE
from autokb.stores.database import damaged_rows
from autokb.stores.staged import SYNCED
from autokb.stores.sync_state import (
    UNBUILT,
    Body,
    forget_sync_items,
    keep_sync_items,
    keep_sync_source,
    read_sync_items,
    read_sync_source,
)
from autokb.stores.ticket_tables import TICKET_CODEC
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile

LISTINGS_WITHOUT = 2  # in a row, after which an item is gone: one may have been read while a site was half there
MOST_REPEATED = 5_000  # hashes of blocks that many pages of a site have, which later pages are read by
_WORDS, _COUNTS = ("kind", "id", "reason", "text", "doubt"), ("listing", "missing", "since")
_UNKNOWN: Body = {"stamp": {}, **dict.fromkeys(_WORDS, ""), **dict.fromkeys(_COUNTS, 0)}


@dataclass(frozen=True, slots=True)
class _New:
    """What an item is stored as."""

    kind: str
    item: Staged
    left_out: tuple[str, ...] = ()


class SyncedItems:
    """What is known of one source, and what a run does to it."""

    # Complex: what is known, what somebody removed and other settings are told apart once.
    def __init__(self, workspace: Workspace, source: SourceSettings, *, accept: bool = False) -> None:
        self._workspace = workspace
        self._accept = accept
        self._held: str | None = None
        self._source = source
        self._relative = SYNCED + source.name
        place = _place_of(workspace, source)
        with workspace.file() as file, file.snapshot():
            self._body = read_sync_source(file, source.name)
            staged = {(one.kind, one.id) for one in file.staged_places() if one.relative == self._relative}
            noted = read_sync_items(file, source.name)
        is_new = self._body.get("place") != place  # another site, query or program: read from the beginning
        with damaged_rows("sync_item"):
            # What the source gave as a folder has no id.
            items = {key: {**one, **_checked(one)} for key, one in noted.items() if not is_new or "id" in one}
        # What somebody removed by hand is not known any more, and comes again when it is met.
        self._items = {k: one for k, one in items.items() if one["reason"] or (one["kind"], one["id"]) in staged}
        self._stale: Iterable[str] = ()  # rows that the first step writes anew, as they are known now
        if is_new:
            self._stale = tuple(noted)
            self._items = {key: {**one, "stamp": {}, "listing": 0, "since": 0} for key, one in self._items.items()}
            self._body = {"place": place, "cursor": {}}
        self._touched: dict[str, str] = {}  # by key: added, updated, unchanged or removed
        self._now: dict[str, str] = {}  # likewise, of a step that is not stored yet
        self._waiting: dict[str, tuple[Item, _New]] = {}  # with another text, which the whole listing decides
        self._refused: set[str] = set()  # marks of texts that stand in for pages, and of their templates
        self._templates: dict[str, str] = {}  # marks of those of the documents that this run took
        self._listing = 0
        # Which item gives a document that several are addresses of: the one whose address it has.
        self._owners = {one["id"]: key for key, one in self._items.items()}
        self._owners |= {key: key for key, one in self._items.items() if one["id"] == key}
        self._skipped: list[Skipped] = []
        by_hand = len(items) - len(self._items)
        self._most = 0 if accept else int(self._body.get("most", 0)) - by_hand

    @property
    def progress(self) -> Progress:
        """How far the source was read."""
        known = {key: Known(one["stamp"], one["listing"], one["missing"]) for key, one in self._items.items()}
        with damaged_rows("sync_source"):
            return Progress(dict(self._body.get("cursor") or {}), known)

    @property
    def seen(self) -> int:
        """How many items the run met."""
        return len(self._touched)

    # Complex: what a step, a listing and a deletion change is one transaction.
    def keep(self, step: Step) -> None:
        """Store a step: its items and from where a later run goes on, together.

        Raises FeedError, and stores nothing, where a whole list has none of the items that are known.
        """
        listing = int(step.cursor.get("listing", 0))
        self._check_some(step, listing)
        items = _last_of_each(step.items)
        staged, reasons = self._staged(items)
        self._now, self._listing = {}, listing
        changes: dict[str, Body] = {}
        with self._workspace.file() as file, file.transaction():
            for item in items:
                if not item.gone:
                    changes |= self._keep_item(file, item, staged.get(item.key), reasons.get(item.key))
            gone = [item.key for item in items if item.gone and item.key in self._items]
            if step.complete and not self._accept:
                changes |= self._settle(file, {**self._items, **changes})
            if step.complete:
                changes |= self._missing(listing, changes, gone)
            self._remove(file, gone, changes)
            self._write_anew(file, gone)
            keep_sync_items(file, self._source.name, changes)
            self._body = {**self._body, "cursor": dict(step.cursor), "most": self._most}
            keep_sync_source(file, self._source.name, self._body)
            if gone or not {"added", "updated", "removed"}.isdisjoint(self._now.values()):
                file.note(UNBUILT, "1")
        self._touched |= self._now
        self._stale = ()
        self._items |= changes
        for key in gone:
            del self._items[key]
        self._skipped += [*step.skipped, *self._not_read(changes, staged)]

    def _not_read(self, changes: Mapping[str, Body], read: Container[str]) -> Iterator[Skipped]:
        """Give what was not taken of what the listing met, and what was left out of what this step read."""
        for key, note in changes.items():
            if note["listing"] == self._listing and note["reason"]:
                yield Skipped(key, note["reason"])
            elif key in read:
                yield from left_out(key, note.get("left_out", ()))

    def _write_anew(self, file: WorkspaceFile, gone: Container[str]) -> None:
        """Replace the rows of what the source was before its settings changed."""
        if self._stale:
            forget_sync_items(file, self._source.name, self._stale)
            left = {key: one for key, one in self._items.items() if key not in gone}
            keep_sync_items(file, self._source.name, left)

    def _check_some(self, step: Step, listing: int) -> None:
        """Refuse a whole list with nothing in it, as a folder without files is refused: a fault would look the same."""
        staged = sum(bool(one["id"]) for one in self._items.values())
        was_met = step.items or any(one["listing"] == listing for one in self._items.values())
        if step.complete and staged and not was_met and not self._accept:
            raise FeedError(
                f"It lists nothing, and {staged:,} items of it are here: they stay. If they are really gone, run "
                f"autokb sync with --source {self._source.name} and --accept."
            )

    def _keep_item(self, file: WorkspaceFile, item: Item, new: _New | None, reason: str | None) -> dict[str, Body]:
        """Store an item, where it has a content that is its own, and return what is known of it then, by its key."""
        known = self._items.get(item.key, _UNKNOWN)
        note: Body = {**known, "since": known["since"] if known["id"] else self._listing}
        if item.stamp is not None:
            note["stamp"] = dict(item.stamp)
        if reason is not None:
            note |= self._without_text(item, reason, known)
        if new is not None:
            doubt = self._judged(file, item, new)
            if doubt is NO_ITEM or doubt is UNDECIDED:
                return {}
            note |= self._take(file, item, new) if doubt is None else self._refuse(doubt, _text(new))
        return {item.key: {**note, "listing": self._listing, "missing": 0}} if note["id"] or note["reason"] else {}

    def _without_text(self, item: Item, reason: str, known: Body) -> Body:
        """Return what is known of an item that has no text, be it that all pages of a step have the same one."""
        doubt = item.doubt or (Doubt("other", reason) if item.content is not None and known["id"] else None)
        if doubt is None or item.content is None:
            return {"reason": reason, "doubt": doubt.sign if doubt else ""}
        return self._refuse(doubt)

    def _judged(self, file: WorkspaceFile, item: Item, new: _New) -> Doubt | None:
        """Return what speaks against a content; one with another text waits for the whole listing."""
        known, doubt = self._items.get(item.key, _UNKNOWN), item.doubt
        is_known = new.kind == "documents" and known["id"] != ""
        before = self._staged_as(file, known["id"]) if is_known else None
        if before is not None:
            doubt = against_change(before, _text(new), doubt, accept=self._accept)
            if doubt is UNDECIDED:
                self._waiting[item.key] = (item, new)
            return doubt
        if doubt is None or not doubt.is_certain or (self._accept and not is_hidden(doubt)):
            return None
        return None if self._is_copy_of(file, item.same_as, _text(new)) else doubt

    def _take(self, file: WorkspaceFile, item: Item, new: _New) -> Body:
        """Store a content, and return what is known of it."""
        new = self._placed(file, item, new)
        if reason := self._stage(file, item.key, new):
            # Another has its id: it is asked for again, for the other may go.
            return {"stamp": {}, "reason": reason, "doubt": ""}
        self._owners.setdefault(new.item.id, item.key)
        mark = ""
        if new.kind == "documents":
            mark, self._templates[item.key] = text_mark(_text(new)), template_mark(_text(new))
        known = {"kind": new.kind, "id": new.item.id, "reason": "", "doubt": "", "text": mark}
        return {**known, "left_out": list(new.left_out)}

    def _refuse(self, doubt: Doubt, text: str = "") -> Body:
        """Return what is known of an item whose content is not taken; it is asked for again."""
        self._refused |= {text_mark(text), template_mark(text)} if text else set()
        return {"stamp": {}, "reason": doubt.words, "doubt": doubt.sign}

    def _placed(self, file: WorkspaceFile, item: Item, new: _New) -> _New:
        """Return a page under the id of the document that it is an address of; one that is stored keeps its id."""
        known, own = self._items.get(item.key), new.item.id
        if new.kind != "documents" or own != item.key:
            return new
        is_stored = known is not None and known["id"] != ""
        if known is not None and is_stored and self._owners.get(known["id"]) == item.key:
            own = known["id"]
        is_free = not is_stored and item.same_as not in file.staged_some("documents", [item.same_as])
        if item.same_as and (is_free or self._is_copy_of(file, item.same_as, _text(new))):
            own = item.same_as
        return replace(new, item=replace(new.item, id=own, body={**new.item.body, "url": own}))

    def _is_copy_of(self, file: WorkspaceFile, document: str, text: str) -> bool:
        """Return whether a document of this source says what a text does."""
        whole = self._staged_as(file, document) if document else None
        return whole is not None and is_copy(text, whole)

    def _staged_as(self, file: WorkspaceFile, document: str) -> str | None:
        """Return the text of a document that this source gave."""
        found = file.staged_some("documents", [document]).get(document)
        return None if found is None or found.relative != self._relative else str(found.body["text"])

    def _settle(self, file: WorkspaceFile, notes: dict[str, Body]) -> dict[str, Body]:
        """Decide about pages with another text, and about new ones with a text that many have."""
        waiting, templates = (
            {key: mark(_text(new)) for key, (_, new) in self._waiting.items()} for mark in (text_mark, template_mark)
        )
        kept, decided = not_taken(notes, waiting, templates, self._listing), {}
        for key, (item, new) in self._waiting.items():
            words = kept.get(key)
            told = self._refuse(Doubt("other", words), _text(new)) if words else self._take(file, item, new)
            note = {**notes[key], "stamp": dict(item.stamp or {}), **told}
            decided[key] = {**note, "listing": self._listing, "missing": 0}
        for key, words in stand_ins(notes, waiting, self._templates, self._listing, self._refused).items():
            file.unstage(notes[key]["kind"], [notes[key]["id"]])
            self._now[key] = "refused"
            self._owners.pop(notes[key]["id"], None)
            nothing = {"kind": "", "id": "", "text": "", "stamp": {}}
            decided[key] = {**notes[key], **nothing, "reason": words, "doubt": "other"}
        self._held = hold({**notes, **decided}, self._listing, self._source)
        return decided

    def done(self, requests: int, read: int, error: str | None) -> SyncedSource:
        """Return what the run did."""
        words = list(self._touched.values())
        added, updated, removed = (words.count(word) for word in ("added", "updated", "removed"))
        unchanged = max(0, count_documents(self._items) - added - updated)
        kept = kept_of(self._items, self._listing)
        skipped = tuple(self._skipped)
        error = error or self._held
        counts = (added, updated, unchanged, removed)
        return SyncedSource(*counts, skipped, requests=requests, bytes=read, error=error, kept=kept)

    # Complex: tickets and pages, with a text and without, go through one loop; pages are read together.
    def _staged(self, items: Sequence[Item]) -> tuple[dict[str, _New], dict[str, str]]:
        """Return what is to be stored of the items that have a content, and why others cannot be."""
        found: dict[str, _New] = {}
        reasons = {item.key: item.reason for item in items if item.reason}
        pages = {}
        for item in items:
            if isinstance(item.content, Ticket):
                found[item.key] = self._of_ticket(item.content)
            elif item.content is not None:
                pages[item.content.item.id] = (item.key, item.content)
        records = [record for _, record in pages.values()]
        repeated = set(self._body.get("repeated") or ())
        documents, empty = staged_documents(records, known=repeated)
        for one in documents:
            key, record = pages[one.id]
            found[key] = _New("documents", replace(one, root="", relative=self._relative), record.left_out)
        without_text = (key for key, _ in pages.values() if key not in found)
        reasons |= {key: skipped.reason for key, skipped in zip(without_text, empty, strict=True)}
        self._learn(items, repeated)
        return found, reasons

    def _learn(self, items: Iterable[Item], known: set[str]) -> None:
        """Note the blocks of menus; what a wall says in place of pages is none, and may be a page's own text."""
        own = [one.content for one in items if one.doubt is None and isinstance(one.content, SourceRecord)]
        if more := repeated_blocks(own) - known:
            self._body = {**self._body, "repeated": sorted(known | more)[:MOST_REPEATED]}

    def _of_ticket(self, ticket: Ticket) -> _New:
        prefix = self._source.prefix
        if prefix:
            links = tuple(replace(link, target=prefix + link.target) for link in ticket.links)
            ticket = replace(ticket, id=prefix + ticket.id, links=links)
        if self._source.as_kind == "tickets":
            return _New("tickets", Staged(ticket.id, "", self._relative, TICKET_CODEC.body(ticket)))
        text = (ticket.description or ticket.title)[:LONGEST_ISSUE]
        issue = RawIssue(id=ticket.id, text=text, title=ticket.title, date=ticket.created)
        return _New("issues", Staged(issue.id, "", self._relative, RAW_ISSUE.body(issue)))

    # Complex: an id is new, this item's or another's, and its text as it was or not.
    def _stage(self, file: WorkspaceFile, key: str, new: _New) -> str:
        """Store an item; returns why not where its id is another's."""
        before = file.staged_some(new.kind, [new.item.id]).get(new.item.id)
        is_import = before is not None and not before.root and not before.relative.startswith(SYNCED)
        if before is not None and before.relative != self._relative and not is_import:
            place = before.relative.removeprefix(SYNCED)
            return f"has the id {new.item.id!r}, which {place} gave already; set prefix for its source."
        had_own = self._leave(file, key, new)
        if before is not None and key not in (new.item.id, self._owners.get(new.item.id, key)):
            self._now[key] = "removed" if had_own else self._touched.get(key, "unchanged")
            return ""  # another address of a document
        self._owners[new.item.id] = key
        if before is None:
            self._now[key] = "updated" if self._items.get(key, _UNKNOWN)["id"] else "added"
        elif differs(before, new.item):
            self._now[key] = "added" if self._touched.get(key) == "added" else "updated"
        elif not is_import:
            self._now[key] = self._touched.get(key, "unchanged")
            return ""
        file.stage(new.kind, [*added_today(new.kind, [new.item])])
        return ""

    def _leave(self, file: WorkspaceFile, key: str, new: _New) -> bool:
        """Take out the document that an item had, where it has another now; return whether it was its own."""
        known = self._items.get(key, _UNKNOWN)
        if known["id"] == "" or (known["kind"], known["id"]) == (new.kind, new.item.id):
            return False
        if any(other != key and one["id"] == known["id"] for other, one in self._items.items()):
            return False
        file.unstage(known["kind"], [known["id"]])
        return True

    # Complex: what is missing, gone and too much to be believed is decided over one list.
    def _missing(self, listing: int, met: Mapping[str, Body], told: list[str]) -> dict[str, Body]:
        """Count what a whole listing lacked; what several in a row did joins the deleted (``told``), if not too much.

        It is where less than half is left of the most that there was, over all runs since somebody accepted it, or of
        what there was when the lost ones were met last: a page of an error is new, too. What the source itself calls
        deleted, and what somebody removed, does not count.
        """
        known = {key: one for key, one in self._items.items() if key not in told}
        lacked = {key: one for key, one in known.items() if key not in met and one["listing"] != listing}
        lost = {key: one for key, one in lacked.items() if self._accept or one["missing"] + 1 >= LISTINGS_WITHOUT}
        copies = _copies(lost, {**known, **met})
        alone = {key: one for key, one in lost.items() if key not in copies}
        told += [*copies, *(alone if self._believes(alone, known, met, told) else ())]
        return {key: {**one, "missing": one["missing"] + 1} for key, one in lacked.items() if key not in told}

    def _believes(
        self, lost: Mapping[str, Body], known: Mapping[str, Body], met: Mapping[str, Body], told: list[str]
    ) -> bool:
        """Return whether so much may be gone."""
        before, going = count_documents({**known, **met}), count_documents(lost)
        if self._accept:
            self._most = before - going
            return True
        self._most = max(before, self._most - len(told))
        if going and (_is_most(lost, known) or (before - going) * 2 < self._most):
            self._held = self._held or TOO_MANY_GONE.format(gone=going, before=before)
        return self._held is None

    def _remove(self, file: WorkspaceFile, keys: Sequence[str], changes: Mapping[str, Body]) -> None:
        if not keys:
            return
        gone = {key: self._items[key] for key in keys}
        copies = _copies(gone, {**self._items, **changes})
        for key, known in gone.items():
            if known["id"] and key not in copies:
                file.unstage(known["kind"], [known["id"]])
                self._now[key] = "removed"
            elif self._owners.get(known["id"]) == key:
                del self._owners[known["id"]]
        forget_sync_items(file, self._source.name, keys)


def _place_of(workspace: Workspace, source: SourceSettings) -> str:
    """Return what tells whether all is to be read anew: another place, or another program for pages of pictures."""
    ocr = workspace.settings.ocr if source.type == "web" else ()
    return digest(canonical_json([*map(str, source.place), *ocr]))


def _text(new: _New) -> str:
    return str(new.item.body.get("text", ""))


def _copies(lost: Mapping[str, Body], notes: Mapping[str, Body]) -> list[str]:
    """Return the keys of lost items whose documents have other addresses that stay."""
    ids = {one["id"] for key, one in notes.items() if key not in lost} if lost else set()
    return [key for key, one in lost.items() if one["id"] and one["id"] in ids]


def _is_most(lost: Mapping[str, Body], known: Mapping[str, Body]) -> bool:
    """Return whether more are lost than stay of what there was when the lost ones were met last."""
    last = max(one["listing"] for one in lost.values())
    stay = {key: one for key, one in known.items() if key not in lost and one["since"] <= last}
    return count_documents(stay) < count_documents(lost)


def _last_of_each(items: Iterable[Item]) -> list[Item]:
    """Return items by their keys: one that a page has twice is as it was last."""
    return list({item.key: item for item in items}.values())


def _checked(noted: Body) -> Body:
    """Return what is known of an item, or raise what a damaged row raises."""
    words = {name: str(noted[name] if name in ("kind", "id", "reason") else noted.get(name, "")) for name in _WORDS}
    counts = {name: int(noted.get(name, 0)) for name in _COUNTS}
    return {**words, **counts, "stamp": dict(noted["stamp"])}

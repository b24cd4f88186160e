"""Sentences of ``add`` about what it replaced, and names of what it left: what a person may not have meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Document, RawIssue
from autokb.heuristics.document_audience import proposed_audience
from autokb.sources.fields import matching_keys
from autokb.sources.notes import MOST_NAMED, named
from autokb.sources.reading import SourceRecord
from autokb.stores.codecs import RAW_ISSUE
from autokb.stores.staged import ADDED, DROPPED, EARLIER
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged

_LONGEST_TITLE = 60  # characters of a title, or of a text without one: enough to know it again
_DIGITS = 16  # of a digest: 64 bits, of the few contents that one record had
_MOST_EARLIER = 10  # contents that are known of a record: older ones than that nobody adds by mistake


def unused_attributes(unused: Iterable[str], attributes: Iterable[str]) -> Iterator[str]:
    """Give a sentence about fields that have the name of an attribute, from which nothing is read."""
    if left := matching_keys(dict.fromkeys(unused), tuple(attributes)):
        yield (
            f"Not used: {', '.join(left)}. What an issue says of an attribute is read from its words; a field of that "
            "name is not."
        )


def audiences_of_folders(kind: str, records: Sequence[SourceRecord[Any]], spec: DomainSpec) -> Iterator[str]:
    """Give a sentence about folders or front matter that seem to say for whom documents are, where nothing is set."""
    documents = [record.item for record in records] if kind == "documents" else []
    if found := proposed_audience(documents, spec):
        yield (
            f"Folders or front matter seem to say for whom documents are: {canonical_json(found['audience_from'])}. "
            "autokb draft-spec proposes audience_from for domain.yaml."
        )


def content(staged: Staged) -> str:
    """Return what a source says, as one text; not what an add knows of it."""
    return canonical_json({k: v for k, v in staged.body.items() if k not in (ADDED, DROPPED, EARLIER)})


def with_earlier(before: Staged, new: Staged) -> Staged:
    """Return a changed record that knows the contents it had; going back to one forgets that and all after it."""
    known, now = list(before.body.get(EARLIER, ())), _mark(new)
    earlier = known[: known.index(now)] if now in known else [*known, _mark(before)][-_MOST_EARLIER:]
    return replace(new, body={**new.body, EARLIER: earlier})


def _mark(staged: Staged) -> str:
    return digest(content(staged))[:_DIGITS]


def earlier_again(kind: str, old: Mapping[str, Staged], changed: Iterable[Staged]) -> Iterator[str]:
    """Give a sentence about records that are again as they were before a later change."""
    if back := [one for one in changed if _mark(one) in old[one.id].body.get(EARLIER, ())]:
        yield (
            f"{kind.capitalize()} that are again as they were before a later change: {len(back)}; if the file is older "
            "than what it replaced, add the newer one again (with --update where it is another file): "
            f"{named_items(back)}"
        )


def named_items(items: Sequence[Staged]) -> str:
    """Return the first of some records in one line, by their ids and titles, or the beginnings of their texts."""
    return named([_name(one) for one in items[: MOST_NAMED + 1]])


def _name(staged: Staged) -> str:
    """Return a record's id with its title, or the beginning of its text."""
    first = next(iter(staged.body.get("messages", ())), staged.body)
    words = first.get("title") or first.get("text") or ""
    title = " ".join(str(words).split())
    short = title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE].rstrip() + "…"
    return f"{staged.id} ({short})" if short and short != staged.id else staged.id


def links_of_issues(workspace: Workspace, issues: Iterable[RawIssue]) -> tuple[int, Sequence[str]]:
    """Count the links of issues that mean an added document by its title, and give a sentence about those without one.

    Where no document is added yet, nothing is said: they may come.
    """
    links = [name for issue in issues for name in issue.resolved_by]
    if not links:
        return 0, ()
    with workspace.file() as file:
        bodies = {one.id: one.body for one in file.staged("documents")}
    names = DocumentNames(Document(i, str(body["title"]), "", str(body.get("url", ""))) for i, body in bodies.items())
    lost = list(dict.fromkeys(name for name in links if names.resolve(name) is None)) if bodies else []
    note = (
        f"Named as what resolved issues, but no document added so far: {len(lost)} ({named(lost)}). Add those "
        "documents, or correct the names: a document is named by its id, file name, URL or title."
    )
    return sum(names.by_title(name) is not None for name in links), (note,) if lost else ()


def other_ids(
    kind: str, old: Iterable[Staged], items: Iterable[Staged], fields: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Give a sentence about each file that has documents or issues of before, but none of their ids."""
    if kind not in ("documents", "issues"):
        return
    now = by_path(items)
    for path, before in by_path(one for one in old if str(path_of(one)) in now).items():
        same = _texts(kind, before) & _texts(kind, now[path])
        if same and not {s.id for s in before} & {s.id for s in now[path]}:
            option = fields.get(path, {}).get("id")
            found = "Decisions about" if kind == "issues" else "Links, checks and decisions that name"
            yield (
                f"{kind.capitalize()} of {Path(path).name} that have other ids than before: {len(same)} (the ids were "
                f"read with {f'--id-field {option}' if option else 'no --id-field'}). {found} them are found again "
                "only under the same ids. To go back, add the file with the fields and names of columns of before."
            )


def lost_links(kind: str, old: Mapping[str, Staged], items: Iterable[Staged]) -> Iterator[str]:
    """Give a sentence on issues that are read without the links to what helped, and had some before."""
    again = ((old[one.id], one) for one in items if one.id in old) if kind == "issues" else ()
    if lost := sum(bool(before.body.get("resolved_by")) and not now.body.get("resolved_by") for before, now in again):
        yield (
            f"Issues that said before what helped, and say nothing now: {lost}. If a column still says it, add the "
            "file again and name that column with --resolved-by-field."
        )


def by_path(items: Iterable[Staged]) -> dict[str, list[Staged]]:
    """Return what was read by its file."""
    found: dict[str, list[Staged]] = {}
    for one in items:
        found.setdefault(str(path_of(one)), []).append(one)
    return found


def _texts(kind: str, items: Iterable[Staged]) -> set[str]:
    return {str(s.body["text"]) if kind == "documents" else RAW_ISSUE.read(s.body, id=s.id).full_text for s in items}


def path_of(staged: Staged) -> Path:
    """Return the file that something was read from."""
    return Path(staged.root, staged.relative)

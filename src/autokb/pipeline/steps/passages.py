"""Each document's passages, worked out when the document or the domain changes and looked up otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json, digest, key_json
from autokb.core.nouns import Chunk, Document, Passage
from autokb.heuristics.grouping import grouped
from autokb.stores.codecs import SOLUTION
from autokb.stores.database import UNREADABLE
from autokb.stores.workspace_file import WorkspaceFile

STAGE = "passages"
VERSION = "19"  # raise it when the same document gives other passages


def find_passages(
    file: WorkspaceFile, documents: Sequence[Document], chunks: Sequence[Chunk], spec: DomainSpec
) -> tuple[list[Passage], int]:
    """Return the passages of all documents in their order, and for how many documents they had to be worked out.

    They follow from what is published and are no part of it: an import works them out again.
    """
    chunks_of = grouped((chunk.document, chunk) for chunk in chunks)
    domain = digest(
        VERSION, spec.language, canonical_json(key_json(spec.attributes)), canonical_json(key_json(spec.rules))
    )
    keys = {d.id: _key(domain, d, chunks_of.get(d.id, ())) for d in documents}
    found = {key: _read(text) for key, text in file.finished(list(keys.values())).items()}
    missing = [d for d in documents if found.get(keys[d.id]) is None]
    if missing:
        from autokb.issues.passages import document_passages  # a question rarely needs it

        made = {keys[d.id]: document_passages(d, chunks_of.get(d.id, ()), spec) for d in missing}
        file.finish(STAGE, {key: canonical_json({"passages": list(map(_body, some))}) for key, some in made.items()})
        found |= made
    return list(chain.from_iterable(found[keys[d.id]] or () for d in documents)), len(missing)


def _key(domain: str, document: Document, chunks: Sequence[Chunk]) -> str:
    spans = canonical_json([list(chunk.spans) for chunk in chunks])
    return digest("passages of a document", domain, document.id, document.title, document.text, spans)


def _body(passage: Passage) -> Mapping[str, Any]:
    beside = {
        "id": passage.solution.id,
        "headings": passage.headings,
        "distinguishes": passage.distinguishes,
        "masked": passage.masked,
        "section": passage.section,
        "role": passage.role,
        "article": passage.article,
    }
    return {**beside, **SOLUTION.body(passage.solution)}


def _read(text: str) -> Sequence[Passage] | None:
    """Read kept passages; None where they were damaged."""
    try:
        bodies: Sequence[Mapping[str, Any]] = json.loads(text)["passages"]
        return [
            Passage(
                headings=tuple(b["headings"]),
                solution=SOLUTION.read(b, id=b["id"]),
                distinguishes=tuple(b["distinguishes"]),
                masked=tuple(tuple(words) for words in b["masked"]),
                section=b["section"],
                role=b["role"],
                article=b["article"],
            )
            for b in bodies
        ]
    except (BadInputError, *UNREADABLE):
        return None

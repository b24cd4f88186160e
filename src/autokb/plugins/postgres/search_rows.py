"""Writing what questions search in the database: the rows of what was published and differs from what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from autokb.core.attributes import ANY, as_lists
from autokb.core.domain import DomainSpec
from autokb.core.ids import canonical_json
from autokb.core.nouns import DISPLAYED, Solution
from autokb.core.vectors import Vectors
from autokb.pipeline.embedding import TokenEncoder
from autokb.pipeline.runner import in_batches
from autokb.pipeline.steps.passages import find_passages
from autokb.plugins.postgres.part_codecs import (
    FITTED,
    read_counted,
    store_counted,
    store_document,
    store_learnt,
    store_past,
    store_tree,
)
from autokb.plugins.postgres.parts import (
    NOTHING_COUNTED,
    Counted,
    DocumentPart,
    PartsReader,
    PastPart,
    TreePart,
    pieces_as_array,
)
from autokb.plugins.postgres.search_tables import FOR_ALL, SEARCH_OF, Kind, SearchTables, WordChanges, WrittenPart
from autokb.retrieval.history import Learnt
from autokb.stores.published import Published
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.stemming import stem
from autokb.text.word_forms import rests

OF_ALL, PIECES_OF_ALL, LEARNT, AUDIENCES = "of all", "pieces", "learnt", "audiences"


def write_search_rows(
    file: WorkspaceFile,
    published: Published,
    spec: DomainSpec,
    embed: Callable[[Sequence[str]], Vectors],
    tokens: TokenEncoder | None,
) -> dict[str, int]:
    """Write the rows that differ and take out those that are gone, in one transaction; returns how many parts did.

    ``published`` is what is searched from then on.
    """
    documents = list(published.kb.documents.values())
    passages, _ = find_passages(file, documents, published.chunks, spec)
    parts = PartsReader(spec, embed, None if tokens is None else tokens.read).read(published, passages)
    kept = (p for part, _ in parts.documents.values() for p in part.passages)
    audiences = {p.solution.id: audience_of(p.solution) for p in kept if p.solution.status in DISPLAYED}
    now = {
        "document": (_document(part, counted, audiences) for part, counted in parts.documents.values()),
        "tree": (_tree(part, counted) for part, counted in parts.trees),
        "past": (_past(part) for part in parts.past),
    }
    changed: dict[str, int] = {}
    total = NOTHING_COUNTED
    with file.transaction(), file.reading() as db:
        tables = SearchTables.made(db, len(parts.learnt.mean))
        for kind, some in now.items():
            changed[kind], counted = _write_parts(tables, kind, some, spec.language)
            total = Counted.sum([total, counted])
        _keep_numbers(tables, total, parts.learnt)
        tables.keep_number(AUDIENCES, canonical_json(sorted({*audiences.values()})).encode())
        tables.make_graphs()
        tables.count_rows()
        file.note(SEARCH_OF, published.generation)
    return changed


def _write_parts(tables: SearchTables, kind: str, now: Iterable[WrittenPart], language: str) -> tuple[int, Counted]:
    """Write the parts of a kind that differ, and count words by what they had before and have now.

    Returns how many differ, and what is counted over all.
    """
    gone, differ, of_all = tables.marks(kind), 0, NOTHING_COUNTED
    for some in in_batches(now):
        changed = [part for part in some if gone.get(part.id) != part.mark]
        differ += len(changed)
        of_all = Counted.sum([of_all, *(read_counted(part.counted) for part in some)])
        _write_changed(tables, kind, changed, [], language)
        for part in some:
            gone.pop(part.id, None)
    _write_changed(tables, kind, [], list(gone), language)
    return differ + len(gone), of_all


def _write_changed(
    tables: SearchTables, kind: str, changed: Sequence[WrittenPart], gone: Sequence[str], language: str
) -> None:
    before = Counted.sum(map(read_counted, tables.counted(kind, [*(part.id for part in changed), *gone])))
    after = Counted.sum(read_counted(part.counted) for part in changed)
    tables.write(kind, changed, gone)
    tables.change_words(_word_changes(after.minus(before), language))


def _keep_numbers(tables: SearchTables, total: Counted, learnt: Learnt) -> None:
    """Keep what is known of all parts together."""
    numbers = np.array([total.chunks, total.length, total.candidates], dtype="<i8")
    tables.keep_number(OF_ALL, numbers.tobytes())
    tables.keep_number(PIECES_OF_ALL, pieces_as_array(total.pieces).astype(FITTED).tobytes())
    tables.keep_number(LEARNT, store_learnt(learnt))
    own = {i: (learnt.named[i], column.astype(FITTED).tobytes()) for i, column in learnt.own.items()}
    held = tables.own_marks()
    tables.change_own({i: one for i, one in own.items() if held.get(i) != one}, [i for i in held if i not in own])


def audience_of(solution: Solution) -> str:
    """Return a solution's audience key."""
    fixed = {name: values for name, values in solution.attributes.items() if values != ANY}
    return canonical_json(as_lists(fixed)) if fixed else FOR_ALL


def _document(part: DocumentPart, counted: Counted, audiences: Mapping[str, str]) -> WrittenPart:
    """Return a document as it is written; of sections that nobody is shown there are no rows to be found by."""
    stored = store_document(part)
    headings = {passage.headings[-1].casefold() for passage in part.passages}
    names = [*sorted(headings), *(passage.solution.id for passage in part.passages)]
    shown = [n for n, passage in enumerate(part.passages) if passage.solution.id in audiences]
    own = [audiences[part.passages[n].solution.id] for n in shown]
    rows = (
        _for_all(Kind.WINDOW, part.windows),
        (Kind.SECTION, part.sections[shown], own),
        (Kind.HEADING, part.headings[shown], own),
    )
    texts = [list(Counter(terms).elements()) for terms in part.terms]
    return WrittenPart(part.id, stored.body, stored.vectors, names, store_counted(counted), rows, texts=texts)


def _for_all(kind: Kind, vectors: Vectors) -> tuple[Kind, Vectors, Sequence[str]]:
    return kind, vectors, [FOR_ALL] * len(vectors)


def _tree(part: TreePart, counted: Counted) -> WrittenPart:
    stored = store_tree(part)
    nodes = np.array([*part.vectors, *part.raw.values()])
    rows = (_for_all(Kind.NODE, nodes), _for_all(Kind.ALONE, np.array(list(part.alone.values()))))
    return WrittenPart(
        part.id, stored.body, stored.vectors, sorted(part.documents | part.sections), store_counted(counted), rows
    )


def _past(part: PastPart) -> WrittenPart:
    stored, rows = store_past(part), (_for_all(Kind.PAST, part.vector.reshape(1, -1)),)
    return WrittenPart(
        part.issue.id, stored.body, stored.vectors, part.issue.documents, store_counted(NOTHING_COUNTED), rows
    )


def _word_changes(counted: Counted, language: str) -> WordChanges:
    return WordChanges(
        texts_with=counted.texts_with,
        said=counted.words,
        stems={word: stem(word, language) for word in counted.words},
        rests={word: rests(word) for word, n in counted.words.items() if n > 0},
    )

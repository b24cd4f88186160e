"""The knowledge base's own nodes and chunks in other words: queries whose right documents are known (AutoKB, 4.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autokb.core.domain import DomainSpec
from autokb.core.forest import Forest
from autokb.core.ids import digest
from autokb.core.nouns import DISPLAYED, Chunk, Evidence, KnowledgeBase
from autokb.plugins.lab.evaluation.experiment import TaskRunner
from autokb.plugins.lab.evaluation.retrieval.paraphrase_experiment import Kind, ParaphrasedText
from autokb.tasks.probes.query_variations.task import TASK, VaryQuery
from autokb.text.lexicon import Lexicon, lexicon
from autokb.text.lexicons import language_data
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.words import split_words

STAGE = "variations"
SEED = "variations"
EXCERPT_SIZE = 400  # characters of a chunk that are paraphrased, about as much as a customer writes
COMPOUND_PART = 3  # letters more that make a word a compound of the other: earbuds of buds, but not re-pair of pair
MOST_SYNONYMS = 4  # of one word


@dataclass(frozen=True, slots=True)
class SourceText:
    """A node or chunk: its text, what is above it (the parent node, the document's title), what documents answer it.

    ``tree`` is the root above a node; ``chunks`` are the chunk itself, or those that the node's solutions cite.
    """

    id: str
    kind: Kind
    text: str
    context: str
    documents: tuple[str, ...]
    tree: str = ""
    chunks: tuple[str, ...] = ()


def source_texts(kb: KnowledgeBase, chunks: Iterable[Chunk], sample: int) -> list[SourceText]:
    """Return the child issues with displayed solutions and the chunks, at most ``sample`` of each.

    A larger knowledge base gives an even sample, the same one each time.
    """
    chunks = list(chunks)
    nodes = _sample_evenly(_find_node_texts(kb, chunks), sample)
    return [*nodes, *_sample_evenly(_find_chunk_texts(kb, chunks), sample)]


def _sample_evenly(texts: Iterable[SourceText], most: int) -> list[SourceText]:
    chosen = sorted(texts, key=lambda text: digest(SEED, text.id))[:most]
    return sorted(chosen, key=lambda text: text.id)


# Complex: a node is a text where it has a parent, words and places, and each of these is looked up once.
def _find_node_texts(kb: KnowledgeBase, chunks: Iterable[Chunk]) -> Iterator[SourceText]:
    """Yield the children whose displayed solutions cite a document; those documents answer them.

    Children only, as in the paper: a parent's text is said in those of its children too.
    """
    forest, holding = Forest(kb.issues.values()), _holding_chunks(chunks)
    cited: dict[str, set[Evidence]] = {}
    for solution in kb.solutions.values():
        if solution.status in DISPLAYED:
            evidence = {e for e in solution.evidence if e.document in kb.documents}
            cited.setdefault(solution.issue_id, set()).update(evidence)
    for issue_id, places in cited.items():
        issue = kb.issues.get(issue_id)
        if issue and (parent := kb.issues.get(issue.parent_id or "")) and places and issue.text.strip():
            yield SourceText(
                issue.id,
                "nodes",
                " ".join(issue.text.split()),
                parent.text,
                tuple(sorted({e.document for e in places})),
                tree=forest.root(issue.id).id,
                chunks=holding(places),
            )


def _holding_chunks(chunks: Iterable[Chunk]) -> Callable[[Iterable[Evidence]], tuple[str, ...]]:
    """Return what gives the chunks that hold a part of one of these places."""
    of_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        of_document.setdefault(chunk.document, []).append(chunk)

    def holding(places: Iterable[Evidence]) -> tuple[str, ...]:
        return tuple(sorted({c.id for e in places for c in of_document.get(e.document, ()) if _holds(c, e)}))

    return holding


def _holds(chunk: Chunk, place: Evidence) -> bool:
    return any(start < place.end and place.start < end for start, end in chunk.spans)


def _find_chunk_texts(kb: KnowledgeBase, chunks: Iterable[Chunk]) -> Iterator[SourceText]:
    """Yield the chunks with text; their document answers them."""
    for chunk in chunks:
        document = kb.documents.get(chunk.document)
        if document is not None and (text := excerpt(document.text, chunk)):
            yield SourceText(chunk.id, "chunks", text, document.title, (document.id,), chunks=(chunk.id,))


def excerpt(text: str, chunk: Chunk) -> str:
    """Return the first sentences of a chunk as plain words, without the heading above them where more follows."""
    marked = "\n".join(text[start:end] for start, end in chunk.spans)
    body = "\n".join(line for line in marked.split("\n") if not line.lstrip().startswith("#"))
    plain = " ".join(plain_text(body if body.strip() else marked, images=False).split())
    ends = [end for _, end in sentences(plain) if end <= EXCERPT_SIZE]
    return plain[: ends[-1]].strip() if ends else plain[:EXCERPT_SIZE].rsplit(" ", 1)[0].strip()


def paraphrase(runner: TaskRunner, texts: Sequence[SourceText], domain: DomainSpec) -> list[ParaphrasedText]:
    """Return the texts with their paraphrases by level; a text that failed is left out (the runner reports it)."""
    requests = [
        VaryQuery(text.text, text.context, domain_synonyms(text.text, domain), domain.language) for text in texts
    ]
    replies = runner.run(STAGE, TASK, requests, [text.id for text in texts])
    return [
        ParaphrasedText(text.id, text.kind, text.documents, dict(reply.levels.items()), text.tree, text.chunks)
        for text, reply in zip(texts, replies, strict=True)
        if reply is not None
    ]


def domain_synonyms(text: str, domain: DomainSpec) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words of a text that name one value and nothing else, with other names of that value.

    What a person lists as synonyms are words that imply a value (``paired``: Wireless); of them only spellings of one
    word (earbuds, ear buds) and names that everybody has for the value can replace each other in a sentence.
    """
    words, known = split_words(text), lexicon(domain)
    found: dict[str, tuple[str, ...]] = {}
    for mention in known.mentions(words):
        mentioned = " ".join(words.raw[mention.start : mention.end])
        value = (mention.attribute, mention.value)
        if mentioned not in text or not _names_nothing_else(known, mentioned, value):
            continue
        listed = domain.attributes[mention.attribute].synonyms.get(mention.value, ())
        same = (
            w for w in (mention.value, *listed) if _are_interchangeable(mentioned, w, mention.value, domain.language)
        )
        if synonyms := [w for w in same if _names_nothing_else(known, w, value)]:
            found[mentioned] = tuple(synonyms[:MOST_SYNONYMS])
    return tuple(found.items())


def _names_nothing_else(known: Lexicon, words: str, value: tuple[str, str]) -> bool:
    return set(known.values_named(words)) == {value}


def _are_interchangeable(word: str, other: str, value: str, language: str) -> bool:
    """Return whether a word is another spelling or a part of the other one, or both are common names of the value."""
    if word.casefold() == other.casefold():
        return False
    shorter, longer = sorted((w.casefold().replace(" ", "").replace("-", "") for w in (word, other)), key=len)
    if shorter == longer or (longer.endswith(shorter) and len(longer) - len(shorter) >= COMPOUND_PART):
        return True
    names = language_data(language).value_names.get(value.casefold(), ())
    common = {value.casefold(), *(name for name in names if not name.startswith("?"))}
    return {word.casefold(), other.casefold()} <= common

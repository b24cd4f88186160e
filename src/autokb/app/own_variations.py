"""The knowledge base's own nodes and chunks, said in other words: questions whose right documents are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.core.domain import DomainSpec
from autokb.core.ids import digest
from autokb.core.nouns import DISPLAYED, Chunk
from autokb.evaluation.variations import Origin
from autokb.pipeline.models import OFFLINE, model_of
from autokb.pipeline.stages import Stages
from autokb.stores.published import Published
from autokb.stores.workspace import Workspace
from autokb.tasks.probes.query_variations.task import TASK, VaryQuery
from autokb.text.lexicon import Lexicon, lexicon, split_words
from autokb.text.lexicon_words import COMMON
from autokb.text.plain_text import plain_text, sentences

STAGE = "variations"
SEED = "variations"
PIECE = 400  # characters of a chunk that are varied: its first sentences, about as much as a customer writes
PART = 3  # letters that earbuds have more than buds; re-pair has fewer more than pair
OTHERS = 4  # synonyms of a word that are given


@dataclass(frozen=True, slots=True)
class OwnText:
    """A node or chunk: its text, where it stands, and the documents that answer it."""

    id: str
    kind: Literal["nodes", "chunks"]
    text: str
    context: str
    documents: tuple[str, ...]


def origins_of(published: Published, sample: int) -> list[OwnText]:
    """Return an even sample of the nodes with displayed solutions and of the chunks, at most so many of each."""
    return [*_sampled(_nodes(published), sample), *_sampled(_chunks(published), sample)]


def _sampled(texts: Iterable[OwnText], most: int) -> list[OwnText]:
    chosen = sorted(texts, key=lambda own: digest(SEED, own.id))[:most]
    return sorted(chosen, key=lambda own: own.id)


def _nodes(published: Published) -> Iterator[OwnText]:
    kb = published.kb
    cited: dict[str, list[str]] = {}
    for solution in kb.solutions.values():
        if solution.status in DISPLAYED:
            documents = (e.document for e in solution.evidence if e.document in kb.documents)
            cited.setdefault(solution.issue_id, []).extend(documents)
    for issue_id, found in cited.items():
        issue = kb.issues.get(issue_id)
        if issue is not None and found and issue.text.strip():
            parent = kb.issues.get(issue.parent_id or "")
            context = parent.text if parent else ""
            yield OwnText(issue.id, "nodes", _flat(issue.text), context, tuple(sorted(set(found))))


def _chunks(published: Published) -> Iterator[OwnText]:
    documents = published.kb.documents
    for chunk in published.chunks:
        document = documents.get(chunk.document)
        if document is not None and (text := piece(document.text, chunk)):
            yield OwnText(chunk.id, "chunks", text, document.title, (document.id,))


def piece(text: str, chunk: Chunk) -> str:
    """Return the first sentences of a chunk as plain words, without the heading above them where more follows."""
    marked = "\n".join(text[start:end] for start, end in chunk.spans)
    body = "\n".join(line for line in marked.split("\n") if not line.lstrip().startswith("#"))
    plain = _flat(plain_text(body if body.strip() else marked, images=False))
    ends = [end for _, end in sentences(plain) if end <= PIECE]
    return plain[: ends[-1]].strip() if ends else plain[:PIECE].rsplit(" ", 1)[0].strip()


def _flat(text: str) -> str:
    return " ".join(text.split())


def asked_variations(
    workspace: Workspace, stages: Stages, spec: DomainSpec, texts: Sequence[OwnText]
) -> tuple[list[Origin], dict[str, Any]]:
    """Return the texts with their variations, and who made them; a text that failed is left out and counted."""
    items = [VaryQuery(own.text, own.context, domain_synonyms(own.text, spec)) for own in texts]
    replies = stages.run(STAGE, TASK, items, [own.id for own in texts])
    model = model_of(workspace.settings, workspace.mode, TASK.name, STAGE)
    origins = [
        Origin(own.id, own.kind, own.documents, {str(level): given for level, given in reply.levels.items()})
        for own, reply in zip(texts, replies, strict=True)
        if reply is not None
    ]
    return origins, {"made_by": "mechanical" if model == OFFLINE else "model", "model": model}


def domain_synonyms(text: str, spec: DomainSpec) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words of a text that name one value and nothing else, with other names of that value.

    What a person lists as synonyms are words that tell a value (``paired`` tells Wireless); of them only spellings of
    one word (earbuds, ear buds) and names that everybody has for the value stand for each other in a sentence.
    """
    words, known = split_words(text), lexicon(spec)
    found: dict[str, tuple[str, ...]] = {}
    for mention in known.mentions(words):
        said = " ".join(words.raw[mention.start : mention.end])
        listed = spec.attributes[mention.attribute].synonyms.get(mention.value, ())
        if said in text and _names(known, said) == {(mention.attribute, mention.value)}:
            others = (w for w in (mention.value, *listed) if _same(said, w, mention.value))
            only = [w for w in others if _names(known, w) == {(mention.attribute, mention.value)}]
            if only:
                found[said] = tuple(only[:OTHERS])
    return tuple(found.items())


def _names(known: Lexicon, words: str) -> set[tuple[str, str]]:
    return set(known.values_named(words))


def _same(said: str, other: str, value: str) -> bool:
    """Return whether a word is another spelling or a part of the other one, or both are common names of the value."""
    shorter, longer = sorted((w.casefold().replace(" ", "").replace("-", "") for w in (said, other)), key=len)
    part = shorter == longer or (longer.endswith(shorter) and len(longer) - len(shorter) >= PART)
    common = {value.casefold(), *(w for w in COMMON.get(value.casefold(), ()) if not w.startswith("?"))}
    return said.casefold() != other.casefold() and (part or {said.casefold(), other.casefold()} <= common)

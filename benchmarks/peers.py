"""Other people's chunkers behind our own shape: what they cut becomes spans of the document (the extra ``bench``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from autokb.chunking.baselines.recursive import result_of_spans
from autokb.chunking.chunk_result import ChunkResult
from autokb.chunking.spans import trim_span
from autokb.core.nouns import Document, Span

Chunker = Callable[[Document, int], ChunkResult]
LEVELS = [("#" * level, f"h{level}") for level in range(1, 7)]


def langchain_recursive(document: Document, size: int) -> ChunkResult:
    """LangChain's RecursiveCharacterTextSplitter, without overlap."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)
    return _cut(document, splitter.split_text(document.text))


def langchain_markdown(document: Document, size: int) -> ChunkResult:
    """LangChain's MarkdownHeaderTextSplitter, what is too long cut by the recursive one, as its documentation does."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    sections = MarkdownHeaderTextSplitter(LEVELS, strip_headers=False).split_text(document.text)
    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)
    return _cut(document, (part for section in sections for part in splitter.split_text(section.page_content)))


def chonkie_recursive(document: Document, size: int) -> ChunkResult:
    """Chonkie's RecursiveChunker, sizes in characters."""
    from chonkie import RecursiveChunker

    found = RecursiveChunker(tokenizer="character", chunk_size=size).chunk(document.text)
    return _at(document, ((c.start_index, c.end_index) for c in found))


def chonkie_sentence(document: Document, size: int) -> ChunkResult:
    """Chonkie's SentenceChunker, sizes in characters, without overlap."""
    from chonkie import SentenceChunker

    found = SentenceChunker(tokenizer="character", chunk_size=size, chunk_overlap=0).chunk(document.text)
    return _at(document, ((c.start_index, c.end_index) for c in found))


def semchunk(document: Document, size: int) -> ChunkResult:
    """Semchunk, sizes in characters, without overlap."""
    from semchunk import chunkerify

    _, offsets = chunkerify(len, size)(document.text, offsets=True)
    return _at(document, offsets)


PEERS: Mapping[str, Chunker] = {
    "langchain_recursive": langchain_recursive,
    "langchain_markdown": langchain_markdown,
    "chonkie_recursive": chonkie_recursive,
    "chonkie_sentence": chonkie_sentence,
    "semchunk": semchunk,
}


def _at(document: Document, spans: Iterable[Sequence[int]]) -> ChunkResult:
    return result_of_spans(
        document, (s for start, end in spans if (s := trim_span(document.text, start, end))[0] < s[1])
    )


def _cut(document: Document, pieces: Iterable[str]) -> ChunkResult:
    return _at(document, aligned(document.text, pieces))


def aligned(text: str, pieces: Iterable[str]) -> list[Span]:
    """Return where pieces stand that are a text in order, with white space changed and unprintable characters lost.

    Raises ValueError where a piece is not what comes next.
    """
    places = [n for n, character in enumerate(text) if _counts(character)]
    spans: list[Span] = []
    here = 0
    for piece in pieces:
        words = [character for character in piece if _counts(character)]
        found = places[here : here + len(words)]
        if [text[n] for n in found] != words:
            raise ValueError(f"a piece is not the text that follows: {piece[:60]!r}")
        if found:
            spans.append((found[0], found[-1] + 1))
        here += len(words)
    return spans


def _counts(character: str) -> bool:
    return character.isprintable() and not character.isspace()

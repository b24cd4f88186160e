"""Documents ready to be searched: windows, their texts for the encoder, and the index over them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile

import numpy as np

from autokb.chunking.windows import Window, embedded_context, embedding_text, is_context_of_headings, windows
from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document, Passage
from autokb.core.vectors import Vectors
from autokb.heuristics.grouping import grouped
from autokb.retrieval.candidates import section_text
from autokb.retrieval.search import ChunkIndex, build_index

LEAST_COVERED = 0.5  # share of a window's characters in sections from which their vectors stand for it


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents of one language in the order of their ids, with their chunks and windows."""

    documents: tuple[Document, ...]
    chunks: tuple[Chunk, ...]
    windows: tuple[Window, ...]
    language: str

    @classmethod
    def of(cls, documents: Mapping[str, Document], chunks: Sequence[Chunk], language: str) -> Corpus:
        """Cut the chunks of all documents into windows."""
        ordered = tuple(documents[d] for d in sorted(documents))
        grouped: dict[str, list[Chunk]] = {d.id: [] for d in ordered}
        for chunk in chunks:
            if chunk.document in grouped:
                grouped[chunk.document].append(chunk)
        kept = tuple(c for d in ordered for c in grouped[d.id])
        return cls(ordered, kept, tuple(w for d in ordered for w in windows(d, grouped[d.id])), language)

    def fingerprint(self) -> str:
        """Return the hash of everything that is searched: documents, and how they are chunked."""
        documents = (part for d in self.documents for part in (d.id, d.title, d.text))
        chunks = (part for c in self.chunks for part in (c.id, c.context, c.text, repr(c.spans)))
        return digest(*documents, "chunks", *chunks)

    def window_vectors(self, passages: Sequence[Passage], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        """Return a vector for each window, (windows, dimensions): the mean of its sections', by their characters in it.

        So each text is read once. A window of which less than half stands in sections, or whose context a model wrote,
        is read by itself.
        """
        texts, shares = self._texts_to_read(passages)
        found = embed(texts)
        read = dict(zip(texts, found, strict=True))
        vectors = np.zeros((len(shares), found.shape[1]), dtype=np.float32)
        for row, share in enumerate(shares):
            of_texts = np.array([read[text] for text in share], dtype=np.float64)
            mean = (np.array(list(share.values()))[:, None] * of_texts).sum(axis=0)
            vectors[row] = mean / max(float(np.sqrt(np.square(mean).sum())), 1e-12)
        return vectors

    def texts_to_read(self, passages: Sequence[Passage]) -> list[str]:
        """Return what is embedded for the windows: the sections in them, and the windows that are read themselves."""
        return self._texts_to_read(passages)[0]

    def _texts_to_read(self, passages: Sequence[Passage]) -> tuple[list[str], list[Mapping[str, int]]]:
        """Return the texts, and for each window those that its vector is made of, with their weights."""
        titles = {d.id: d.title for d in self.documents}
        by_model = {c.id for c in self.chunks if not is_context_of_headings(titles[c.document], c)}
        sections = _Sections(passages)
        shares: list[Mapping[str, int]] = []
        for window, text in zip(self.windows, self.window_texts(), strict=True):
            found = sections.within(window)
            is_covered = found.total() >= LEAST_COVERED * max(window.end - window.start, 1)
            shares.append(found if is_covered and window.chunk not in by_model else {text: 1})
        return list(dict.fromkeys(text for share in shares for text in share)), shares

    def window_texts(self) -> list[str]:
        """Return the text of each window behind its title and context."""
        titles = {d.id: d.title for d in self.documents}
        contexts = {c.id: embedded_context(titles[c.document], c) for c in self.chunks}
        return [embedding_text(w, titles[w.document], contexts[w.chunk]) for w in self.windows]

    def titles(self) -> list[str]:
        """Return what is embedded for each document's title."""
        return [d.title or d.id for d in self.documents]

    def index(self, window_vectors: Vectors, title_vectors: Vectors | None = None) -> ChunkIndex:
        """Build the search index; words are those of title, context and chunk. By vectors alone titles are not read."""
        titles = {d.id: d.title for d in self.documents}
        texts = {c.id: f"{titles[c.document]}\n{c.context}\n{c.text}" for c in self.chunks}
        return build_index(
            documents=[d.id for d in self.documents],
            chunks=self.chunks,
            windows=self.windows,
            vectors=window_vectors,
            titles=title_vectors,
            word_texts=texts,
            language=self.language,
        )


class _Sections:
    """Where the sections of all documents are; those of a window are found without a look at all of its document."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        places = ((e, section_text(passage)) for passage in passages for e in passage.solution.evidence)
        self._spans = grouped((e.document, (e.start, e.end, text)) for e, text in places)
        for spans in self._spans.values():
            spans.sort()
        self._ends = {d: list(accumulate((end for _, end, _ in some), max)) for d, some in self._spans.items()}

    def within(self, window: Window) -> Counter[str]:
        """Return how many characters of a window stand in each section."""
        spans, found = self._spans.get(window.document, []), Counter[str]()
        first = bisect_right(self._ends.get(window.document, []), window.start)
        for start, end, text in takewhile(lambda span: span[0] < window.end, islice(spans, first, None)):
            found[text] += max(min(end, window.end) - max(start, window.start), 0)
        return +found

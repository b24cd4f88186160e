"""Documents ready to be searched: windows, their texts for the encoder, and the index over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.chunking.windows import Window, embedded_context, embedding_text, windows
from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.core.vectors import Vectors
from autokb.retrieval.search import ChunkIndex, build_index


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

    def window_texts(self) -> list[str]:
        """Return what is embedded for each window."""
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

"""The product beside LangChain, LlamaIndex and Haystack over the same documents, encoder and questions.

``python -m benchmarks other_retrievers`` builds the bases of ``ranking`` and asks the questions whose answer is quoted.
Each of the others cuts and searches as its documentation shows, in pieces that the encoder reads whole: LangChain's
recursive splitter with its vector store, LlamaIndex's sentence splitter with its vector index, Haystack's splitter by
words with BM25 and vectors, joined by reciprocal ranks. Strict: the middle of the first piece stands in the section
that answers. Lenient: the first piece contains the quoted answer.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.text.markdown import section_at, sections
from benchmarks.answers import BASES, Base, make
from benchmarks.figures import Figure, Result
from benchmarks.ranking import PUBLIC, asked, is_answerable, public_manual
from benchmarks.running import folder

CHARACTERS, OVERLAP = 1000, 200  # of a piece of LangChain's; the default of its documentation
WORDS = 150  # of a piece of LlamaIndex's and of Haystack's: some 200 tokens, of 256 that the encoder reads
FIRST = (1, 3)


class Piece(NamedTuple):
    """A part of a document that one of them shows."""

    document: str
    start: int
    end: int


Search = Callable[[str], Sequence[Piece]]


def langchain(texts: Mapping[str, str], encoder: PackagedEmbedder) -> Search:
    """Return a search by LangChain."""
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Encoder(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return list(encoder.embed(texts).tolist())

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    splitter = RecursiveCharacterTextSplitter(chunk_size=CHARACTERS, chunk_overlap=OVERLAP, add_start_index=True)
    store = InMemoryVectorStore(Encoder())
    store.add_documents(splitter.split_documents([Document(t, metadata={"id": d}) for d, t in texts.items()]))

    def search(question: str) -> list[Piece]:
        return [
            Piece(d.metadata["id"], d.metadata["start_index"], d.metadata["start_index"] + len(d.page_content))
            for d in store.similarity_search(question, k=FIRST[-1])
        ]

    return search


def llama_index(texts: Mapping[str, str], encoder: PackagedEmbedder) -> Search:
    """Return a search by LlamaIndex."""
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SentenceSplitter

    class Encoder(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return list(encoder.embed([text])[0].tolist())

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    splitter = SentenceSplitter(chunk_size=WORDS, chunk_overlap=20, tokenizer=str.split, include_metadata=False)
    documents = [Document(text=t, id_=d) for d, t in texts.items()]
    index = VectorStoreIndex.from_documents(documents, transformations=[splitter], embed_model=Encoder())
    retriever = index.as_retriever(similarity_top_k=FIRST[-1])

    def search(question: str) -> list[Piece]:
        nodes = [found.node for found in retriever.retrieve(question)]
        return [Piece(str(n.ref_doc_id), n.start_char_idx or 0, n.end_char_idx or 0) for n in nodes]

    return search


def haystack(texts: Mapping[str, str], encoder: PackagedEmbedder) -> Search:
    """Return a search by Haystack."""
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    splitter = DocumentSplitter(split_by="word", split_length=WORDS)
    pieces = splitter.run([Document(content=t, meta={"id": d}) for d, t in texts.items()])["documents"]
    vectors = encoder.embed([str(p.content) for p in pieces])
    pieces = [replace(p, embedding=v.tolist()) for p, v in zip(pieces, vectors, strict=True)]
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(pieces)
    by_words, by_vector = InMemoryBM25Retriever(store, top_k=10), InMemoryEmbeddingRetriever(store, top_k=10)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=FIRST[-1])

    def search(question: str) -> list[Piece]:
        vector = encoder.embed([question])[0].tolist()
        found = [by_words.run(question)["documents"], by_vector.run(vector)["documents"]]
        starts = [(d, int(d.meta["split_idx_start"])) for d in joiner.run(found)["documents"]]
        return [Piece(str(d.meta["id"]), start, start + len(d.content or "")) for d, start in starts]

    return search


OTHERS: Mapping[str, Callable[[Mapping[str, str], PackagedEmbedder], Search]] = {
    "langchain": langchain,
    "llama_index": llama_index,
    "haystack": haystack,
}


def product(base: Base) -> Search:
    """Return the product's own search: the sections that its answer shows first."""

    def search(question: str) -> list[Piece]:
        rows, found = base.index.candidates.rows, []
        for solution in base.kb.ask(question).shown:
            row = base.index.candidates.row_of.get(solution.id)
            place = (rows[row].solution if row is not None else solution).evidence
            if place:
                text = base.text(place[0].document)
                known = sections(text)
                section = known[section_at(known, place[0].start)]
                found.append(Piece(place[0].document, section.start, section.own_end))
        return found

    return search


def outcomes(base: Base, encoder: PackagedEmbedder) -> Iterator[tuple[str, list[bool]]]:
    """Give for each system and question whether it is right: strict and lenient, among the first and among three."""
    quoted = [(g["question"], s) for g in asked(base.name) if is_answerable(g) for s in [_quotes(base, g)] if s]
    texts = {d: base.text(d) for d in base.documents}
    searches = {"product": product(base), **{name: make_it(texts, encoder) for name, make_it in OTHERS.items()}}
    for name, search in searches.items():
        for question, places in quoted:
            found = list(search(question))
            yield name, [any(fits(p, places) for p in found[:k]) for fits in (_strict, _lenient) for k in FIRST]


def _quotes(base: Base, gold: Mapping[str, Any]) -> list[tuple[Piece, Piece]]:
    """Return the quoted answers of a question with the sections that they stand in."""
    found = []
    for one in gold["sections"]:
        text, quote = base.text(one["document"]), one.get("quote")
        if quote and (at := text.find(quote)) >= 0:
            known = sections(text)
            own = known[section_at(known, at)]
            found.append((Piece(one["document"], at, at + len(quote)), Piece(one["document"], own.start, own.own_end)))
    return found


def _strict(piece: Piece, places: Sequence[tuple[Piece, Piece]]) -> bool:
    middle = (piece.start + piece.end) // 2
    return any(piece.document == s.document and s.start <= middle < s.end for _, s in places)


def _lenient(piece: Piece, places: Sequence[tuple[Piece, Piece]]) -> bool:
    return any(piece.document == q.document and piece.start <= q.start and q.end <= piece.end for q, _ in places)


def run(options: argparse.Namespace) -> Result:
    """Build the bases and ask every system all quoted questions."""
    with folder() as place:
        return Result("other_retrievers", list(figures(place)))


def figures(place: Path) -> Iterator[Figure]:
    """Give the shares of each system, by base and over all."""
    encoder, rows = PackagedEmbedder(), dict[tuple[str, str], list[list[bool]]]()
    for name in (*BASES, *PUBLIC):
        base = public_manual(place, name) if name in PUBLIC else Base(name, make(name, place / name))
        for system, right in outcomes(base, encoder):
            for group in (name, "all"):
                rows.setdefault((group, system), []).append(right)
    for (group, system), found in rows.items():
        labels = [f"{how}.{place}" for how in ("strict", "lenient") for place in ("first", "three")]
        for label, share in zip(labels, np.mean(found, axis=0).tolist(), strict=True):
            yield Figure(f"{group}.{system}.{label}", share, f"of {len(found)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, required=True, help="a folder with the workspaces of ranking")
    for figure in figures(parser.parse_args().keep):
        print(f"{figure.name:45} {figure.value:.3f} {figure.unit}", flush=True)

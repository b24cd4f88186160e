"""A LlamaIndex retriever over a folder or a server's URL; the extra ``llama-index``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from autokb.retrievers.sections import Section, Sections, Stated

# Which a model that reads the nodes is not shown, as what has no value.
FOR_PROGRAMS = frozenset({"start", "end", "places", "score", "issue_id", "confidence", "attributes"})


class AutokbRetriever(BaseRetriever):
    """Gives the sections that answer a question, best first: source, place and audience are the nodes' metadata.

    ``source`` is a workspace's folder or a server's URL, ``api_key`` a key of the server (else the variable
    AUTOKB_API_KEY). ``attributes`` say for whom it is asked.
    """

    def __init__(
        self,
        source: Path | str,
        similarity_top_k: int = 5,
        attributes: Stated | None = None,
        api_key: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._sections = Sections(source, api_key)
        self._attributes = attributes
        self._k = similarity_top_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._sections.find(query_bundle.query_str, self._attributes, self._k)
        return [NodeWithScore(node=_node(one), score=one.score) for one in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(section: Section) -> TextNode:
    source = {} if section.source is None else {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=section.source)}
    unread = [name for name, value in section.metadata.items() if name in FOR_PROGRAMS or not value]
    return TextNode(
        id_=section.id,
        text=section.text,
        metadata=section.metadata,
        excluded_llm_metadata_keys=unread,
        excluded_embed_metadata_keys=unread,
        relationships=source,
    )

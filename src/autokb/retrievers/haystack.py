"""A Haystack component over a folder or a server's URL; the extra ``haystack``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import Secret, deserialize_secrets_inplace

from autokb.retrievers.sections import API_KEY, Sections


@component
class AutokbRetriever:
    """Gives the sections that answer a question, best first: source, place and audience are the documents' meta.

    ``source`` is a workspace's folder or a server's URL, ``api_key`` a key of the server. ``attributes`` say for whom
    it is asked; ``run`` takes others, and another ``top_k``. The file of a pipeline names the variable of the key,
    never the key: a key given as text is a ``Secret.from_token``, which no file takes.
    """

    def __init__(
        self,
        source: Path | str,
        top_k: int = 5,
        attributes: dict[str, list[str]] | None = None,
        api_key: Secret | str = Secret.from_env_var(API_KEY, strict=False),  # noqa: B008  (it is frozen)
    ) -> None:
        self.source = str(source)
        self.top_k = top_k
        self.attributes = attributes
        self.api_key = Secret.from_token(api_key) if isinstance(api_key, str) else api_key
        self._sections = Sections(source, self.api_key.resolve_value())

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, attributes: dict[str, list[str]] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Return the ``documents`` that answer the query."""
        stated = self.attributes if attributes is None else attributes
        found = self._sections.find(query, stated, self.top_k if top_k is None else top_k)
        documents = [Document(id=one.id, content=one.text, meta=one.metadata, score=one.score) for one in found]
        return {"documents": documents}

    def to_dict(self) -> dict[str, Any]:
        """Return what a pipeline's file holds; a key that was given as text is refused (ValueError)."""
        given = {name: getattr(self, name) for name in ("source", "top_k", "attributes")}
        return default_to_dict(self, **given, api_key=self.api_key.to_dict())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AutokbRetriever:
        """Return the component that a pipeline's file holds."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["api_key"])
        return default_from_dict(cls, data)

"""A LangChain retriever over a folder or a server's URL; the extra ``langchain``."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables.config import run_in_executor
from pydantic import ConfigDict, Field, PrivateAttr, SecretStr

from autokb.retrievers.sections import Sections


class AutokbRetriever(BaseRetriever):
    """Gives the sections that answer a question, best first: source, place, audience and score are the metadata.

    ``source`` is a workspace's folder or a server's URL, ``api_key`` a key of the server (else the variable
    AUTOKB_API_KEY). ``attributes`` say for whom it is asked; ``invoke`` takes other ``attributes`` and another ``k``.
    """

    # Its errors would show what it was given, the key among it; a misspelt name would be ignored.
    model_config = ConfigDict(hide_input_in_errors=True, extra="forbid")

    source: str
    k: int = 5
    attributes: dict[str, list[str] | str] = Field(default_factory=dict)
    api_key: SecretStr | None = None
    _sections: Sections = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the source (BadInputError where it is none)."""
        super().model_post_init(context)
        self._sections = Sections(self.source, self.api_key.get_secret_value() if self.api_key else None)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,
        k: int | None = None,
        attributes: dict[str, list[str] | str] | None = None,
    ) -> list[Document]:
        stated = self.attributes if attributes is None else attributes
        found = self._sections.find(query, stated, self.k if k is None else k)
        return [Document(id=one.id, page_content=one.text, metadata=one.metadata) for one in found]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **given: Any
    ) -> list[Document]:
        return await run_in_executor(None, self._get_relevant_documents, query, **given)

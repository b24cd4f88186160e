"""The LangChain retriever passes LangChain's own standard tests and gives the sections with their places."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
standard = pytest.importorskip("langchain_tests.integration_tests", reason="langchain-tests is not installed")

from langchain_core.runnables import RunnablePassthrough  # noqa: E402

from autokb.retrievers.langchain import AutokbRetriever  # noqa: E402
from autokb.retrievers.sections import Sections  # noqa: E402

QUESTION = "no sound although connected"


class _Standard(standard.RetrieversIntegrationTests):  # type: ignore[misc,name-defined]
    """LangChain's tests; its coroutine is run by anyio's plugin, which the service brings."""

    pytestmark = pytest.mark.anyio
    source: str

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @property
    def retriever_constructor(self) -> type[AutokbRetriever]:
        return AutokbRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, str]:
        return {"source": self.source}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


class TestOfFolder(_Standard):
    @pytest.fixture(autouse=True)
    def _open(self, folder: str) -> None:
        self.source = folder


class TestOfServer(_Standard):
    @pytest.fixture(autouse=True)
    def _open(self, url: str) -> None:
        self.source = url


def test_a_document_has_source_place_audience_and_score(folder: str, url: str) -> None:
    sections = Sections(folder).find(QUESTION, {"os": "iOS"}, 3)
    given = AutokbRetriever(source=folder, k=3, attributes={"os": "iOS"}).invoke(QUESTION)
    assert [(one.id, one.page_content) for one in given] == [(one.id, one.text) for one in sections]
    assert {"source", "start", "end", "audience", "score", "issue"} <= set(given[0].metadata)
    assert given == AutokbRetriever(source=url, k=3).invoke(QUESTION, attributes={"os": ["iOS"]})


@pytest.mark.anyio
async def test_a_coroutine_takes_what_invoke_takes(folder: str, anyio_backend: str) -> None:
    retriever = AutokbRetriever(source=folder)
    wanted = retriever.invoke(QUESTION, k=2, attributes={"os": "Mac"})
    assert await retriever.ainvoke(QUESTION, k=2, attributes={"os": "Mac"}) == wanted


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_it_is_a_part_of_a_chain_and_shows_no_key(folder: str, url: str) -> None:
    retriever = AutokbRetriever(source=folder, k=1)
    chain = {"found": retriever, "question": RunnablePassthrough()} | RunnablePassthrough()
    assert chain.invoke(QUESTION) == {"found": retriever.invoke(QUESTION), "question": QUESTION}
    assert "secret-key" not in repr(AutokbRetriever(source=url, api_key="secret-key"))


@pytest.mark.parametrize("given", [{}, {"source": "kb", "top_k": 2}, {"url": "http://localhost"}])
def test_what_it_does_not_take_is_refused_without_showing_the_key(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        AutokbRetriever(**given, api_key="akb_quokka")
    assert "quokka" not in str(refused.value)

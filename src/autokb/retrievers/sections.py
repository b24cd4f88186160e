"""The sections that answer a question, the same from a workspace's folder and from a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.solution_text import listed_title

API_KEY = "AUTOKB_API_KEY"  # the variable that holds a server's key where none is given
MOST = 100  # sections of a question; the service allows no more
NO_PATH = "Page or path not found"  # as the service begins to say it
ADDRESS = (
    "The URL must be that of the service, such as http://localhost:8000, or of a workspace below it, such as "
    "http://localhost:8000/w/NAME."
)
LATER = (408, 429)  # what was asked is right, and may be asked again later
AWAY = (500, 502, 503, 504)  # what a proxy says, in words of its own, while the service does not answer
SECONDS = 60.0  # that a server may take: a model that chooses the answer takes some
Stated = Mapping[str, Sequence[str] | str]
Ask = Callable[[str, Mapping[str, Sequence[str]], int], dict[str, Any]]  # gives what ``ask`` prints, explained


@dataclass(frozen=True, slots=True)
class Section:
    """What answers a question, as a reader sees it.

    ``source`` is the id of its document; ``places`` are those of its quotes there, in code points of the document's
    Markdown, and ``start`` to ``end`` holds them all. What a person wrote by hand has none of them (None).
    ``audience`` is for whom it holds: attributes to values, none for everybody. ``score`` is the ranker's, comparable
    within one question alone, and None behind the first twenty. The issue is that of the node which shows it.
    ``confidence`` (0 to 1) that the first section is right, and the ``attributes`` understood, are of the question, and
    so the same in all of its sections.
    """

    id: str
    text: str
    title: str
    source: str | None
    start: int | None
    end: int | None
    places: list[list[int]]
    audience: Mapping[str, list[str]]
    score: float | None
    issue_id: str | None
    issue: str | None
    confidence: float
    attributes: Mapping[str, list[str]]

    @property
    def metadata(self) -> dict[str, Any]:
        """All but id and text."""
        return {name: value for name, value in asdict(self).items() if name not in ("id", "text")}


class Sections:
    """The sections of a workspace's folder, or of a server at a URL (of one workspace of several: ``URL/w/NAME``).

    ``api_key`` is a key of the server, else the variable AUTOKB_API_KEY. Threads may share one.
    """

    def __init__(self, source: Path | str, api_key: str | None = None) -> None:
        is_url = str(source).startswith(("http://", "https://"))
        self._ask = _of_server(str(source), api_key) if is_url else _of_folder(source)

    def find(self, question: str, attributes: Stated | None = None, k: int = 5) -> list[Section]:
        """Return at most k sections, best first, as ``ask`` shows them: none where it abstains.

        ``attributes`` (name to values) replace what is read from the question. What is for others is never among them.
        Raises BadInputError for a name, a value, a key or a ``k`` that cannot be, and AutokbError where the server
        fails, cannot be reached or has too many questions: later it may answer.
        """
        if not 1 <= k <= MOST:
            raise BadInputError(f"A question gets 1 to {MOST} sections, not {k}.")
        stated = {name: [of] if isinstance(of, str) else list(of) for name, of in (attributes or {}).items()}
        return list(_sections_of(self._ask(question, stated, k)))[:k]


def _of_folder(folder: Path | str) -> Ask:
    from autokb.app import SupportKB

    if not Path(folder).exists():
        raise BadInputError(f"There is no folder {folder}; the URL of a server begins with http:// or https://.")
    kb = SupportKB.open(folder)
    return lambda question, attributes, k: kb.ask(question, attributes, k, explain=True).as_json()


def _of_server(url: str, api_key: str | None) -> Ask:
    import httpx2

    key = (api_key or os.environ.get(API_KEY) or "").strip()
    if not (key.isascii() and key.isprintable()):  # which no header can hold, and whose error would show the key
        raise BadInputError("The API key holds characters that no key has; see that it is copied whole, and alone.")
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise BadInputError("The URL of a server has no user and password; it takes a key.")
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    client = httpx2.Client(headers=headers, timeout=SECONDS)
    path = f"{url.rstrip('/')}/v1/ask"

    def ask(question: str, attributes: Mapping[str, Sequence[str]], k: int) -> dict[str, Any]:
        asked = {"text": question, "attributes": attributes, "k": k, "explain": True}
        try:
            reply = client.post(path, json=asked)
            body = reply.json()
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise AutokbError(f"There is no answer from {path}: {error or type(error).__name__}.") from error
        except ValueError:
            body = None
        if isinstance(body, dict) and "explain" in body and reply.is_success:
            return body
        raise _failure_of(path, reply.status_code, body)

    return ask


def _failure_of(path: str, status: int, body: Any) -> AutokbError:
    """Return what an answer without sections means; asking again can help only where it is no BadInputError."""
    if not isinstance(body, dict) or "detail" not in body:
        kind = AutokbError if status in AWAY else BadInputError
        return kind(f"{path} does not answer as autokb serve does (status {status}). {ADDRESS}")
    more = ""
    if str(body["detail"]).startswith(NO_PATH):
        more = f" {ADDRESS}"
    elif status == 401:
        more = f" Here a key is passed as api_key, or in the variable {API_KEY}."
    kind = BadInputError if 400 <= status < 500 and status not in LATER else AutokbError
    return kind(f"{path} says: {body['detail']}{more}")


def _sections_of(answer: Mapping[str, Any]) -> Iterator[Section]:
    for match in answer["matches"]:
        for solution in match["solutions"]:
            yield _section(solution, answer, match["issue"])
    for passage in answer["passages"]:
        yield _section(passage, answer, {"id": None, "text": None})


def _section(solution: Mapping[str, Any], answer: Mapping[str, Any], issue: Mapping[str, Any]) -> Section:
    source = next((one["document"] for one in solution["evidence"]), None)
    places = [[one["start"], one["end"]] for one in solution["evidence"] if one["document"] == source]
    scores = {one["solution_id"]: one["score"] for one in answer["explain"]["candidates"]}
    return Section(
        id=solution["id"],
        text=solution["text"],
        title=listed_title(solution["text"], solution["steps"]),
        source=source,
        start=min((start for start, _ in places), default=None),
        end=max((end for _, end in places), default=None),
        places=places,
        audience={name: values for name, values in solution["attributes"].items() if values != ["Any"]},
        score=scores.get(solution["id"]),
        issue_id=issue["id"],
        issue=issue["text"],
        confidence=answer["confidence"],
        attributes=answer["attributes"],
    )

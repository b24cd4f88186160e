"""The tools: what each takes and gives, who may call it, and the one method of ``SupportKB`` behind it."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictInt

from autokb.app import SupportKB
from autokb.core.errors import AutokbWarning, BadInputError, NothingPublishedError, UnknownIdError
from autokb.core.nouns import DISPLAYED, Message, Span
from autokb.core.nouns import Role as Speaker
from autokb.core.plugins import PluginError, call, plugins, use
from autokb.core.results import Result
from autokb.core.roles import Role
from autokb.core.storable import without_surrogates
from autokb.core.ticket_answer import TicketAnswer
from autokb.core.tickets import NO_TICKETS
from autokb.plugin import Tool
from autokb.stores.published import NOTHING_PUBLISHED
from autokb.usage.outcomes import ReportedOutcome
from autokb.views.audience import is_insider
from autokb.views.kinds import DocumentView, IssueView, ShownRawIssue, SolutionView
from autokb.views.knowledge import FoundKnowledge
from autokb.web.answers import QuestionAnswer, Suggestions
from autokb.web.shapes import NewOutcome, SaidMessage, Text, takes

FARTHEST = 1_000_000  # of a list that is leafed through
Whole = AfterValidator(without_surrogates)
Query = Annotated[str, Field(max_length=1_000), Whole]  # what is searched for, or an id: the longest ids are paths
Quote = Annotated[str, Field(max_length=20_000), Whole]  # a page of a document
Said = Annotated[str, Field(max_length=100_000), Whole]  # of more nothing is read
Count = Annotated[StrictInt, Field(ge=1, le=50)]
First = Annotated[
    StrictInt, takes("A whole number from 0 to 1,000,000: how many to skip of the best.", 0, ge=0, le=FARTHEST)
]
Values = Annotated[
    dict[Text, list[Text] | Text],
    takes(
        "What is known of the customer: for each attribute a value or a list, as autokb://themes has them.",
        {"os": ["iOS", "Android"]},
    ),
]
Kind = Literal["issue", "solution", "document"]
SearchedKind = Annotated[Kind, BeforeValidator(lambda given: given.casefold() if isinstance(given, str) else given)]


class _Arguments(BaseModel):
    """Each argument says what it takes, with an example: a call with another value is refused in these words."""

    model_config = ConfigDict(extra="forbid")  # a misspelt name is refused, not ignored


class Ask(_Arguments):
    """A question and what is known of the customer."""

    text: Annotated[
        Said, takes("The question in the customer's words, up to 100,000 characters.", "My earbuds do not charge.")
    ]
    attributes: Values = Field(default_factory=dict)
    k: Annotated[
        StrictInt,
        takes(
            "A whole number from 1 to 100: how many solutions, and how many documents, are shown at most.",
            5,
            ge=1,
            le=100,
        ),
    ] = 5


class LiveMessage(SaidMessage):
    """A message of the customer or of an agent."""

    role: Annotated[Speaker, takes("Customer or agent.", "customer")]
    text: Annotated[Said, takes("What was said, up to 100,000 characters.", "My earbuds do not charge.")]
    date: Annotated[Text, takes("A day or a moment in ISO 8601, or nothing.", "2026-03-01")] = ""


class SuggestReply(_Arguments):
    """A conversation as it stands."""

    messages: Annotated[
        list[LiveMessage],
        takes(
            "The conversation: messages with role (customer or agent) and text, the customer's last.",
            [{"role": "customer", "text": "My earbuds do not charge."}],
        ),
    ]
    conversation: Annotated[
        Text, takes("The id of the conversation, by which its outcome can be reported.", "c-17")
    ] = ""


class SearchKnowledge(_Arguments):
    """What is looked for."""

    query: Annotated[
        Query, takes("Words, whole or begun, all of which are wanted, up to 1,000 characters.", "earbuds charge")
    ]
    kinds: Annotated[
        list[SearchedKind] | SearchedKind,
        takes("One of issue, solution and document, or a list of them.", ["issue", "document"]),
    ] = ["issue", "solution", "document"]
    theme: Annotated[Query, takes("The id or the name of a theme, to which the search is then kept.", "Charging")] = ""
    attributes: Values = Field(default_factory=dict)
    first: First = 0
    most: Annotated[Count, takes("A whole number from 1 to 50: how many of each kind at most.", 10)] = 10


class ReadIssue(_Arguments):
    """Which issue."""

    issue: Annotated[Query, takes("The id of an issue, or its first letters.", "273f154f")]


class ReadDocument(_Arguments):
    """Which document, and where."""

    document: Annotated[Query, takes("The id of a document, as evidence names it.", "charging.html")]
    quote: Annotated[
        Quote,
        takes(
            "Words of the document, up to 20,000 characters: the page is the one that has them.",
            "Put both earbuds into the case.",
        ),
    ] = ""
    start: Annotated[
        StrictInt, takes("A whole number from 0 on: where the quote begins, as evidence says.", 1200, ge=0, le=2**53)
    ] = 0
    page: Annotated[
        Annotated[StrictInt, Field(ge=1, le=FARTHEST)] | None,
        takes("A whole number from 1 on: the page, in place of a quote.", 2),
    ] = None


class SearchTickets(_Arguments):
    """What is looked for."""

    query: Annotated[
        Query, takes("Words, whole or begun, up to 1,000 characters; empty lists the newest tickets.", "camera crash")
    ] = ""
    first: First = 0
    most: Annotated[Count, takes("A whole number from 1 to 50: how many tickets at most.", 10)] = 10


class AskTickets(_Arguments):
    """A question to the past tickets."""

    text: Annotated[
        Said,
        takes(
            "A question, or what a customer reports, up to 100,000 characters.",
            "How was the crash of the camera fixed?",
        ),
    ]
    k: Annotated[StrictInt, takes("A whole number from 1 to 100: how many tickets at most.", 5, ge=1, le=100)] = 5


@dataclass(frozen=True, slots=True)
class IssueLine(Result):
    """An issue in a list; ``solutions`` counts those that it shows itself, ``below`` the issues under it."""

    id: str
    text: str
    attributes: dict[str, list[str]]
    solutions: int
    below: int = 0


@dataclass(frozen=True, slots=True)
class KnownIssue(Result):
    """An issue with its solutions, each step with its evidence, the best first.

    ``above`` leads to it from the broadest issue, ``below`` has the more specific ones. ``reported`` counts the
    customers behind it; their words, private data masked, are for agents, as are solutions that customers do not see.
    """

    id: str
    text: str
    theme: str
    attributes: dict[str, list[str]]
    reported: int
    above: tuple[IssueLine, ...]
    below: tuple[IssueLine, ...]
    solutions: tuple[SolutionView, ...]
    customers: tuple[ShownRawIssue, ...]


@dataclass(frozen=True, slots=True)
class ReadPage(Result):
    """A page of a document; all places count code points of the whole, ``quote`` is where the quote stands."""

    id: str
    title: str
    url: str
    page: int
    pages: int
    start: int
    end: int
    characters: int
    quote: Span | None
    text: str


@dataclass(frozen=True, slots=True)
class TicketLine(Result):
    """A ticket in a list, private data masked."""

    id: str
    title: str
    status: str
    created: str
    url: str


@dataclass(frozen=True, slots=True)
class FoundTickets(Result):
    """Some tickets; ``total`` counts all that fit."""

    items: tuple[TicketLine, ...]
    total: int


def ask(kb: SupportKB, role: Role, asked: Ask) -> dict[str, Any]:
    """Answer a customer's question from the knowledge base, each step with its evidence: document, place, exact quote.

    Your text leaves out a quote that is the step word for word.
    The outcome is answered, asks or abstains. Where it asks, the right answer depends on something that is not known
    yet: put question.text to the customer, with question.values as the choices, and call this again with what they say
    in attributes. Where it abstains, say that nothing is known; do not answer from memory.
    """
    found = kb.ask(asked.text, _as_lists(asked.attributes), asked.k)
    return (found if is_insider(role) else found.for_customers()).as_json()


def _as_lists(attributes: Mapping[str, list[str] | str]) -> dict[str, list[str]]:
    return {name: [given] if isinstance(given, str) else given for name, given in attributes.items() if given}


def suggest_reply(kb: SupportKB, _role: Role, asked: SuggestReply) -> dict[str, Any]:
    """Suggest up to three replies to the customer's last message, each with its source, for an agent to send or edit.

    Where the outcome is asks, what is suggested is a question back to the customer.
    """
    said = [Message(one.role, one.text, one.date) for one in asked.messages]
    return kb.suggest(said, conversation=asked.conversation).as_json()


def search_knowledge(kb: SupportKB, role: Role, asked: SearchKnowledge) -> dict[str, Any]:
    """Find issues, solutions and documents by words, with snippets. To answer a customer's question, ask is better.

    Attributes keep the issues and solutions that hold for such a customer, those for all customers among them;
    documents have none and stay. A theme keeps its issues and solutions alone; documents have none and go.
    """
    if not re.search(r"\w", asked.query):
        raise BadInputError("The query has no word; give words to search for, such as dock or charge.")
    _check_published(kb)
    wanted = kb.views.filter_for(asked.theme, _as_lists(asked.attributes))
    withheld = is_insider(role)
    kinds = [asked.kinds] if isinstance(asked.kinds, str) else asked.kinds or get_args(Kind)
    return kb.views.search(asked.query, wanted, kinds, asked.first, asked.most, withheld=withheld).as_json()


def _check_published(kb: SupportKB) -> None:
    overview = kb.views.overview()
    if not overview.issues and not overview.documents:
        raise NothingPublishedError(NOTHING_PUBLISHED)


def read_issue(kb: SupportKB, role: Role, asked: ReadIssue) -> dict[str, Any]:
    """Read one issue: its solutions with their steps and evidence, and the broader and more specific issues."""
    return known_issue(kb, role, asked.issue).as_json()


def known_issue(kb: SupportKB, role: Role, issue: str) -> KnownIssue:
    """Return an issue as a role sees it (UnknownIdError)."""
    with _ids_from_search(kb, "issue", issue):
        found, insider = kb.views.known_issue(issue), is_insider(role)
    return KnownIssue(
        id=found.id,
        text=found.text,
        theme=found.theme or "",
        attributes=dict(found.attributes),
        reported=found.reported,
        above=tuple(map(issue_line, found.path)),
        below=tuple(map(issue_line, found.children)),
        solutions=tuple(one for one in found.solutions if insider or one.status in DISPLAYED),
        customers=found.raw_issues if insider else (),
    )


def known_document(kb: SupportKB, document: str) -> DocumentView:
    """Return a document with its text, its id in upper or lower case if only one has it (UnknownIdError)."""
    with _ids_from_search(kb, "document", document):
        return kb.views.document(kb.views.view_document(document).id)


@contextmanager
def _ids_from_search(kb: SupportKB, kind: str, name: str) -> Iterator[None]:
    """Say of an id that nothing has which tool finds ids; the lists of the service are not at hand here."""
    try:
        yield
    except UnknownIdError:
        _check_published(kb)
        raise UnknownIdError(f"No {kind} has the id {name!r}; the tool search_knowledge finds ids.") from None


def issue_line(issue: IssueView) -> IssueLine:
    """Return an issue as lists have it."""
    return IssueLine(issue.id, issue.text, dict(issue.attributes), issue.displayed or 0, len(issue.children))


def read_document(kb: SupportKB, _role: Role, asked: ReadDocument) -> dict[str, Any]:
    """Read a page of a document: the one that has a quote of evidence, to see it in its place, or one by its number."""
    document = known_document(kb, asked.document)
    text = document.text
    _check_place(asked, len(text))
    place = _place_of(text, asked.quote, asked.start)
    at = place or ((asked.start, asked.start + 1) if asked.start else None)
    page = kb.views.view_document(document.id, [at] if at else [], asked.page)
    if asked.page and asked.page > page.pages:
        pages = f"{page.pages} page{'' if page.pages == 1 else 's'}"
        raise BadInputError(f"There is no page {asked.page}: the document has {pages}.")
    return ReadPage(
        id=page.id,
        title=page.title,
        url=page.url,
        page=page.page,
        pages=page.pages,
        start=page.start,
        end=page.end,
        characters=page.characters,
        quote=place,
        text=text[page.start : page.end],
    ).as_json()


def _check_place(asked: ReadDocument, characters: int) -> None:
    if asked.page and (asked.quote or asked.start):
        raise BadInputError("Give a page, or a quote and where it starts, not both.")
    if asked.start and asked.start >= characters:
        raise BadInputError(f"There is no start {asked.start}: the document has {characters} characters.")


def _place_of(text: str, quote: str, start: int) -> Span | None:
    """Return where a quote stands: from ``start`` on as it is, else anywhere, however its white space looks."""
    if not quote.strip():
        return None
    if (at := text.find(quote, start)) >= 0:
        return at, at + len(quote)
    words = [word.span() for word in re.finditer(r"\S+", text)]
    wanted = " ".join(quote.split())
    at = " ".join(text[a:b] for a, b in words).find(wanted)
    if at < 0:
        raise BadInputError("The document does not have these words; quote as evidence does, or read it by its pages.")
    begins = list(accumulate((b - a + 1 for a, b in words), initial=0))  # of each word where single spaces part them
    first, last = (bisect_right(begins, place) - 1 for place in (at, at + len(wanted) - 1))
    return words[first][0] + at - begins[first], words[last][0] + at + len(wanted) - begins[last]


def search_tickets(kb: SupportKB, _role: Role, asked: SearchTickets) -> dict[str, Any]:
    """Find past tickets by words, or list the newest. Private data in their titles are masked."""
    found = kb.tickets.search(asked.query, asked.first, asked.most)
    if not found.total and not kb.tickets.search(most=1).total:
        raise NothingPublishedError(NO_TICKETS)
    lines = (TicketLine(one.id, one.title, one.status, one.created, one.url) for one in found.items)
    return FoundTickets(tuple(lines), found.total).as_json()


def ask_tickets(kb: SupportKB, _role: Role, asked: AskTickets) -> dict[str, Any]:
    """Answer a question from past tickets, with evidence from their sections; the outcome says when none answers."""
    answer: TicketAnswer = kb.tickets.ask(asked.text, asked.k)
    return answer.as_json()


def report_outcome(kb: SupportKB, _role: Role, given: NewOutcome) -> dict[str, Any]:
    """Report how a conversation ended, so that its suggestions can be measured. The same report twice counts once."""
    return kb.usage.report_outcome(**given.model_dump()).as_json()


@dataclass(frozen=True, slots=True)
class KnowledgeTool:
    """A tool; ``role`` is the first that may call it, as over HTTP. One that ``computes`` waits for a processor.

    One for ``tickets`` is offered only where there are some.
    """

    work: Callable[[SupportKB, Role, Any], dict[str, Any]]
    takes: type[BaseModel]
    gives: Any
    role: Role = "reader"
    computes: bool = False
    writes: bool = False
    tickets: bool = False

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return self.work.__name__

    @property
    def description(self) -> str:
        """What a model is told of it."""
        return " ".join((self.work.__doc__ or "").split())


def tools_of_plugins() -> Iterator[KnowledgeTool]:
    """Give the tools of plug-ins; one whose code cannot be loaded is left out with a warning."""
    for plugin, tool in ((one.name, tool) for one in plugins() for tool in one.tools):
        try:
            work, takes = _work_of(plugin, tool), use(plugin, tool.arguments, "pydantic model")
            yield KnowledgeTool(work, takes, dict[str, Any], tool.role, writes=tool.writes)
        except PluginError as error:
            warnings.warn(str(error), AutokbWarning, stacklevel=2)


def _work_of(plugin: str, tool: Tool) -> Callable[[SupportKB, Role, Any], dict[str, Any]]:
    use(plugin, tool.function, "function or class")

    def work(kb: SupportKB, role: Role, asked: Any) -> dict[str, Any]:
        found: dict[str, Any] = call(plugin, tool.function, kb, role, asked)
        return found

    work.__name__, work.__doc__ = tool.name, tool.description
    return work


TOOLS: Sequence[KnowledgeTool] = (
    KnowledgeTool(ask, Ask, QuestionAnswer, computes=True),
    KnowledgeTool(search_knowledge, SearchKnowledge, FoundKnowledge),
    KnowledgeTool(read_issue, ReadIssue, KnownIssue),
    KnowledgeTool(read_document, ReadDocument, ReadPage),
    KnowledgeTool(search_tickets, SearchTickets, FoundTickets, tickets=True),
    KnowledgeTool(suggest_reply, SuggestReply, Suggestions, role="agent", computes=True),
    KnowledgeTool(ask_tickets, AskTickets, TicketAnswer, role="agent", computes=True, tickets=True),
    KnowledgeTool(report_outcome, NewOutcome, ReportedOutcome, role="agent", writes=True),
)

"""What a well-formed line of the export looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError
from autokb.core.feedback import FEEDBACK_VERDICTS, SUGGESTION_SOURCES
from autokb.core.nouns import Skipped
from autokb.core.yaml_text import parse_yaml
from autokb.exchange.accept_ticket import QUESTION_CHARACTERS, clean_question
from autokb.pipeline.tickets import TICKETS_SETTING, read_setting
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.retrieval.calibrated_gate import read_calibrated_gate
from autokb.retrieval.gate import read_gate
from autokb.sources.chats import LONGEST_MESSAGE, MOST_MESSAGES
from autokb.sources.documents import LONGEST_DOCUMENT
from autokb.sources.issues import LONGEST_ISSUE
from autokb.sources.tickets.reading import MOST_COMMENTS
from autokb.stores.feedback import KIND as FEEDBACK
from autokb.stores.workspace import DOMAIN_FILE
from autokb.text.control_characters import replace_controls
from autokb.text.strict_json import parse_json

STATUSES = ("displayed", "repaired", "withheld", "rejected", "hidden", "approved")
BUILT_STATUSES = ("displayed", "repaired", "withheld")  # those that a build gives
MOST_DECISIONS = 10**15  # the largest number of a decision; far above any workspace's, and a number for every reader
VERDICTS = ("kept", "broken", "not applicable", "not judged")
# Characters of texts, as at intake, where the mark of a cut comes on top.
_LONGEST = {"document": LONGEST_DOCUMENT, "raw_issue": LONGEST_ISSUE + 100}
LONGEST_QUERY = 200_000  # characters of a question with feedback, whose masks may make it longer than it was asked
_SHOWN = 100  # characters of a value that is refused

Text = Annotated[str, Field(description="text")]
Id = Annotated[str, Field(min_length=1, description="an id")]  # what a decision is about: it says nothing without
MaybeText = Annotated[str | None, Field(description="text")]
Texts = Annotated[list[str], Field(description="a list of strings")]
MaybeTexts = Annotated[list[str] | None, Field(description="a list of strings")]
Values = Annotated[list[str], Field(min_length=1)]
Attributes = Annotated[dict[str, Values], Field(description="lists of strings, for example {'os': ['Any']}")]


class ExportPart(BaseModel):
    """A line of the export, or a part of one; what else it holds is left as it is."""

    model_config = ConfigDict(extra="allow", strict=True)


class DocumentLine(ExportPart):
    """A document; its chunks are checked against its text later."""

    title: Text
    text: Text
    url: MaybeText = None


class RawIssueLine(ExportPart):
    """A raw issue and where it landed."""

    text: Text
    title: MaybeText = None
    date: MaybeText = None
    theme: MaybeText = None
    seed: MaybeText = None
    issue: MaybeText = None
    reason: MaybeText = None
    resolved_by: MaybeTexts = None


class ThemeLine(ExportPart):
    """A theme."""

    name: Text


class SeedLine(ExportPart):
    """A seed issue."""

    raw_issue: Text
    theme: Text


class IssueLine(ExportPart):
    """A node of a tree."""

    text: Text
    attributes: Attributes
    parent_id: MaybeText = None
    seed: MaybeText = None
    raw_issues: MaybeTexts = None


class EvidencePart(ExportPart):
    """A place in a document."""

    document: str
    start: int
    end: int
    quote: str


class RulePart(ExportPart):
    """What a rule says of a solution."""

    rule: str
    verdict: Literal["kept", "broken", "not applicable", "not judged"]
    reason: str


class OriginPart(ExportPart):
    """The solution as it was when a person decided on it."""

    tree: str = ""
    document: str = ""
    built: str = ""
    steps: str = ""


Origin = Annotated[OriginPart | None, Field(description="an object with tree, document, built and steps")]
Number = Annotated[int, Field(ge=0, le=MOST_DECISIONS)]
MaybeNumber = Annotated[Number | None, Field(description="a whole number, not below 0")]
MaybeRules = Annotated[
    list[RulePart] | None, Field(description=f"a list of rule, verdict ({', '.join(VERDICTS)}) and reason")
]


class ByHandPart(ExportPart):
    """Who wrote a solution by hand, for which node."""

    issue_id: Id
    tree: str = ""
    author: str = ""
    date: str = ""
    number: Number | None = None


class SolutionLine(ExportPart):
    """A solution, shown or not."""

    issue_id: Text
    text: Text
    steps: Texts
    attributes: Attributes
    evidence: Annotated[list[EvidencePart], Field(description="a list of document, start, end and quote")]
    status: Annotated[
        Literal["displayed", "repaired", "withheld", "rejected", "hidden", "approved"],
        Field(description=f"one of {', '.join(STATUSES)}"),
    ]
    reason: MaybeText = None
    built: MaybeText = None
    built_status: Annotated[
        Literal["displayed", "repaired", "withheld", "approved"] | None,
        Field(description=f"one of {', '.join(BUILT_STATUSES)}, or approved for a solution by hand"),
    ] = None
    built_reason: MaybeText = None
    by_hand: Annotated[
        ByHandPart | None, Field(description="an object with issue_id, tree, author, date and number")
    ] = None
    rules: MaybeRules = None
    rank: MaybeNumber = None


class EditLine(ExportPart):
    """A hand edit: a text as a whole, or steps."""

    solution_id: Id
    text: MaybeText = None
    steps: MaybeTexts = None
    author: MaybeText = None
    date: MaybeText = None
    number: MaybeNumber = None
    origin: Origin = None
    built: MaybeText = None
    based_on: MaybeText = None
    rules: MaybeRules = None
    dismissed: Annotated[bool | None, Field(description="true or false")] = None


class VerdictLine(ExportPart):
    """What a person decided about showing a solution."""

    solution_id: Id
    verdict: Annotated[
        Literal["approved", "rejected", "hidden"], Field(description="one of approved, rejected, hidden")
    ]
    author: MaybeText = None
    date: MaybeText = None
    number: MaybeNumber = None
    origin: Origin = None
    reason: MaybeText = None
    shown: MaybeText = None


class SectionPart(ExportPart):
    """What a ticket says in one section."""

    section: str
    text: str


class CommentPart(ExportPart):
    """What somebody added to a ticket."""

    text: str
    author: str = ""
    date: str = ""


class LinkPart(ExportPart):
    """A typed link to another ticket."""

    type: str
    target: Id
    inward: bool = False


class TicketLine(ExportPart):
    """A past ticket with its sections, as they were published."""

    title: Text
    description: MaybeText = None
    comments: Annotated[
        list[CommentPart] | None, Field(max_length=MOST_COMMENTS, description="a list of text, author and date")
    ] = None
    links: Annotated[list[LinkPart] | None, Field(description="a list of type, target and inward")] = None
    sections: Annotated[list[SectionPart] | None, Field(description="a list of section and text")] = None
    project: MaybeText = None
    type: MaybeText = None
    status: MaybeText = None
    resolution: MaybeText = None
    priority: MaybeText = None
    environment: MaybeText = None
    reporter: MaybeText = None
    assignee: MaybeText = None
    components: MaybeTexts = None
    labels: MaybeTexts = None
    versions: MaybeTexts = None
    fix_versions: MaybeTexts = None
    created: MaybeText = None
    updated: MaybeText = None
    resolved: MaybeText = None
    url: MaybeText = None
    other: Annotated[dict[str, str] | None, Field(description="an object of texts")] = None


class TicketAnswerLine(ExportPart):
    """A question that a person confirmed to be answered by a ticket."""

    question: Annotated[
        str, Field(max_length=QUESTION_CHARACTERS, description=f"text of 1 to {QUESTION_CHARACTERS:,} characters")
    ]
    ticket: Id
    author: MaybeText = None
    date: MaybeText = None
    number: MaybeNumber = None


class FeedbackLine(ExportPart):
    """What became of a suggestion."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=LONGEST_QUERY, description=f"text of 1 to {LONGEST_QUERY:,} characters"),
    ]
    verdict: Annotated[
        Literal["used", "edited", "rejected", "helpful", "unhelpful"],
        Field(description=f"one of {', '.join(FEEDBACK_VERDICTS)}"),
    ]
    solution_id: MaybeText = None
    text: MaybeText = None
    suggested: MaybeText = None
    documents: MaybeTexts = None
    source: Annotated[
        Literal["", "solution", "passage", "ticket", "question", "small_talk", "refusal"] | None,
        Field(description=f"one of {', '.join(filter(None, SUGGESTION_SOURCES))}"),
    ] = None
    conversation: MaybeText = None
    author: MaybeText = None
    group: MaybeText = None
    date: MaybeText = None
    number: MaybeNumber = None
    fed: Annotated[bool | None, Field(description="true or false")] = None


class MessagePart(ExportPart):
    """What one of the two wrote."""

    role: Literal["customer", "agent"]
    text: str = Field(min_length=1, max_length=LONGEST_MESSAGE + 100)
    date: str = ""


class ChatLine(ExportPart):
    """A conversation as it was added."""

    messages: Annotated[
        list[MessagePart],
        Field(
            min_length=1,
            max_length=MOST_MESSAGES,
            description=f"a list of 1 to {MOST_MESSAGES:,} messages: role (customer or agent), text and date",
        ),
    ]


class SettingLine(ExportPart):
    """The gate and what else was fitted; each is read by who uses it."""


LINES: Mapping[str, type[ExportPart]] = {
    "document": DocumentLine,
    "raw_issue": RawIssueLine,
    "theme": ThemeLine,
    "seed": SeedLine,
    "issue": IssueLine,
    "solution": SolutionLine,
    "setting": SettingLine,
    "edit": EditLine,
    "verdict": VerdictLine,
    "ticket": TicketLine,
    "ticket_answer": TicketAnswerLine,
    FEEDBACK: FeedbackLine,
    "chat": ChatLine,
}
KINDS = tuple(LINES)


Lines = dict[tuple[str, str], dict[str, Any]]  # by kind and id


def read_lines(text: str) -> tuple[Lines, list[Skipped]]:
    """Return the well-formed lines of an export, and what is wrong with the others."""
    lines: Lines = {}
    skipped = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            body = _parsed(line)
            check_line(body)
        except (ValueError, RecursionError) as error:
            skipped.append(Skipped(f"line {number}", str(error)))
            continue
        key = (str(body.pop("kind")), str(body.pop("id")))
        if key in lines:
            skipped.append(
                Skipped(f"line {number}", f"{key[0]} {quote_value(key[1])} stands in an earlier line already")
            )
        else:
            lines[key] = body
    return lines, skipped


def _parsed(line: str) -> Any:
    try:
        return parse_json(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no valid JSON ({error})") from error


def check_line(body: Any) -> None:
    """Raise ValueError with a sentence when a line is not one of ours."""
    if not isinstance(body, dict):
        raise ValueError("it is no JSON object")
    kind, record_id = body.get("kind"), body.get("id")
    if kind not in KINDS:
        raise ValueError(f"its kind {quote_value(kind)} is unknown; kinds are {', '.join(KINDS)}")
    if not isinstance(record_id, str) or not record_id.strip():
        raise ValueError("it has no id")
    where = f"{kind} {quote_value(record_id)}"
    if not record_id.isprintable():
        raise ValueError(f"{where}: an id is one line of plain characters")
    try:
        LINES[kind].model_validate(body)
    except ValidationError as error:
        raise ValueError(_sentence(where, LINES[kind], error)) from error
    _check_contents(kind, record_id, body, where)


def _check_contents(kind: str, record_id: str, body: Mapping[str, Any], where: str) -> None:
    """Raise ValueError for what the schema of a kind cannot say."""
    if kind == "edit" and not (body.get("text") or body.get("steps")):
        raise ValueError(f"{where} needs the edited text or steps")
    if kind == "ticket_answer" and not clean_question(body["question"]):
        raise ValueError(f"{where} needs question as {TicketAnswerLine.model_fields['question'].description}")
    if kind == FEEDBACK and not record_id.startswith(f"{FEEDBACK}-"):  # it must be that of no raw issue
        raise ValueError(f"{where}: its id must begin with {FEEDBACK}-")
    if kind == FEEDBACK and not replace_controls(body["query"]).strip():
        raise ValueError(f"{where} needs query as {FeedbackLine.model_fields['query'].description}")
    longest = _LONGEST.get(kind)
    if longest is not None and len(body["text"]) > longest:
        raise ValueError(f"{where} has {len(body['text']):,} characters, and {longest:,} can be taken; split it")
    if kind == "setting":
        _check_setting(record_id, body, where)


def quote_value(value: object) -> str:
    """Return a value as a sentence names it: an id may have a million characters."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _sentence(where: str, line: type[ExportPart], error: ValidationError) -> str:
    """Say the first thing that is wrong in the words of the field's description."""
    name = str(error.errors(include_url=False)[0]["loc"][0])
    field = line.model_fields[name]
    if field.is_required():
        return f"{where} needs {name} as {field.description}"
    return f"{where}: {name} must be {field.description}"


def _check_setting(name: str, body: Mapping[str, Any], where: str) -> None:
    """Refuse a setting that would end every later command."""
    try:
        if name == "gate":
            read_gate(body)
        elif name == CALIBRATION:
            read_calibrated_gate(body)
        elif name == TICKETS_SETTING:
            read_setting(body)
        elif name == "domain":
            if not isinstance(body.get("yaml"), str):
                raise ValueError(f"{where} needs yaml as text")
            read_domain(parse_yaml(body["yaml"], DOMAIN_FILE))
    except BadInputError as error:
        raise ValueError(f"{where}: {error}") from error

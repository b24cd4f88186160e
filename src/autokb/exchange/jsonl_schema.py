"""What a well-formed line of the export looks like: what its codec writes, within bounds, and what stands beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from autokb.core.attributes import Attributes
from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError
from autokb.core.nouns import Decision, HumanVerdictName, Message, Skipped
from autokb.core.plugins import built_in, of_ours
from autokb.core.tickets import Comment, TicketLink
from autokb.core.validation import Entry, sentence_without_values
from autokb.core.yaml_text import parse_yaml
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.retrieval.calibrated_gate import read_calibrated_gate
from autokb.retrieval.gate import read_gate
from autokb.retrieval.recalibration import SETTING as CONFIDENCE
from autokb.retrieval.recalibration import read_recalibration
from autokb.sources.chats import LONGEST_MESSAGE, MOST_MESSAGES
from autokb.sources.documents import LONGEST_DOCUMENT
from autokb.sources.issues import LONGEST_ISSUE
from autokb.sources.tickets.reading import MOST_COMMENTS
from autokb.stores.chats import CONVERSATION_CODEC
from autokb.stores.codecs import (
    DECISION,
    DECISION_FIELDS,
    DOCUMENT,
    ISSUE,
    RAW_ISSUE,
    SEED,
    SOLUTION,
    THEME,
    Codec,
)
from autokb.stores.feedback import FEEDBACK
from autokb.stores.feedback import KIND as FEEDBACK_KIND
from autokb.stores.ticket_answers import ACCEPTED, QUESTION_CHARACTERS, AcceptedAnswer, clean_question
from autokb.stores.ticket_answers import KIND as ACCEPTED_ANSWER
from autokb.stores.ticket_tables import TICKET_CODEC
from autokb.stores.workspace import DOMAIN_FILE
from autokb.text.control_characters import replace_controls
from autokb.text.strict_json import parse_json

BUILT_STATUSES = ("displayed", "repaired", "withheld")  # those that a build gives
MOST_DECISIONS = 10**15  # the largest number of a decision; far above any workspace's, and a number for every reader
# Characters of texts, as at intake, where the mark of a cut comes on top.
_LONGEST = {"document": LONGEST_DOCUMENT, "raw_issue": LONGEST_ISSUE + 100}
LONGEST_QUERY = 200_000  # characters of a question with feedback, whose masks may make it longer than it was asked
_SHOWN = 100  # characters of a value that is refused

ID = Annotated[str, Field(min_length=1), Entry("an id")]  # of what a decision is about: it says nothing without
NUMBER = Annotated[int, Field(ge=0, le=MOST_DECISIONS), Entry("a whole number, not below 0")]
QUESTION = Annotated[
    str, Field(max_length=QUESTION_CHARACTERS), Entry(f"text of 1 to {QUESTION_CHARACTERS:,} characters")
]
QUERY = Annotated[
    str, Field(min_length=1, max_length=LONGEST_QUERY), Entry(f"text of 1 to {LONGEST_QUERY:,} characters")
]
AttributeLists = Annotated[
    dict[str, Annotated[list[str], Field(min_length=1)]], Entry("lists of strings, for example {'os': ['Any']}")
]


class ExportPart(BaseModel):
    """A line of the export, or a part of one; what else it holds is left as it is."""

    model_config = ConfigDict(extra="allow", strict=True)


class SectionPartLine(ExportPart):
    """What a ticket says in one section."""

    section: str
    text: str


class ByHandPart(ExportPart):
    """Who wrote a solution by hand, for which node."""

    issue_id: ID
    tree: str = ""
    problem: str = ""
    author: str = ""
    date: str = ""
    number: NUMBER | None = None


def _line(codec: Codec[Any], *needed: str, only: Iterable[str] = (), **given: Any) -> type[ExportPart]:
    """Return the shape of a noun's line, which needs what its codec cannot read it without, and the fields ``needed``.

    ``given`` are types of fields beside those of the noun, or in their place. Where a line does not need a field a null
    counts as missing. ``only`` are the fields that it has where it has not all of the noun's.
    """
    needs = _without_default(codec.noun) - codec.defaults.keys() | {*needed}
    hints = _hints(codec.noun) | given
    shape: dict[str, Any] = {
        name: (hints[name], ...) if name in needs else (hints[name] | None, None) for name in only or hints
    }
    return create_model(codec.noun.__name__, __base__=ExportPart, **shape)


def _part(noun: type) -> type[ExportPart]:
    """Return the shape of a noun inside of another, where a null is a wrong value."""
    needs = _without_default(noun)
    shape: dict[str, Any] = {name: (hint, ... if name in needs else None) for name, hint in _hints(noun).items()}
    return create_model(noun.__name__, __base__=ExportPart, **shape)


def _without_default(noun: type) -> set[str]:
    return {f.name for f in fields(noun) if f.default is MISSING and f.default_factory is MISSING}


def _hints(noun: type) -> dict[str, Any]:
    own = {name: _as_json(hint) for name, hint in get_type_hints(noun).items() if name != "id"}
    return {**own, **_BOUNDED.get(noun, {})}


def _as_json(hint: Any) -> Any:
    """Return the type that a field's value has in JSON."""
    if hint == Attributes:
        return AttributeLists
    if get_origin(hint) is tuple:
        return list[_as_json(get_args(hint)[0])]  # type: ignore[misc]
    return _part(hint) if isinstance(hint, type) and is_dataclass(hint) else hint


_BOUNDED: Mapping[type, Mapping[str, Any]] = {
    TicketLink: {"target": ID},
    Message: {"text": Annotated[str, Field(min_length=1, max_length=LONGEST_MESSAGE + 100)]},
}
_COMMENTS: Any = Annotated[_as_json(tuple[Comment, ...]), Field(max_length=MOST_COMMENTS)]
_MESSAGES: Any = Annotated[
    _as_json(tuple[Message, ...]),
    Field(min_length=1, max_length=MOST_MESSAGES),
    Entry(f"a list of 1 to {MOST_MESSAGES:,} messages: role (customer or agent), text and date"),
]
LINES: Mapping[str, type[ExportPart]] = {
    "document": _line(DOCUMENT),  # its chunks are checked against its text later
    "raw_issue": _line(RAW_ISSUE, theme=str, seed=str, issue=str, reason=str),
    "theme": _line(THEME),
    "seed": _line(SEED),
    "issue": _line(ISSUE, "attributes"),
    "solution": _line(
        SOLUTION,
        "attributes",
        "status",
        rank=NUMBER,
        built=str,
        built_status=Literal["displayed", "repaired", "withheld", "approved"],
        built_reason=str,
        by_hand=ByHandPart,
    ),
    "setting": ExportPart,  # the gate and what else was fitted; each is read by who uses it
    # A decision that was taken back has no line.
    "edit": _line(DECISION, only=DECISION_FIELDS["edit"], solution_id=ID, number=NUMBER, undone=Any),
    "verdict": _line(
        DECISION,
        "verdict",
        only=DECISION_FIELDS["verdict"],
        solution_id=ID,
        verdict=HumanVerdictName,
        number=NUMBER,
        undone=Any,
    ),
    "ticket": _line(TICKET_CODEC, comments=_COMMENTS, sections=list[SectionPartLine]),
    ACCEPTED_ANSWER: _line(ACCEPTED, question=QUESTION, ticket=ID, number=NUMBER),
    FEEDBACK_KIND: _line(FEEDBACK, query=QUERY, number=NUMBER, fed=bool),
    "chat": _line(CONVERSATION_CODEC, messages=_MESSAGES),
}
KINDS = tuple(LINES)


Lines = dict[tuple[str, str], dict[str, Any]]  # by kind and id


def lines_of(lines: Lines, kind: str) -> dict[str, dict[str, Any]]:
    """Return the lines of a kind by their ids."""
    return {i: body for (found, i), body in lines.items() if found == kind}


def take_out(lines: Lines, kind: str) -> dict[str, dict[str, Any]]:
    """Take the lines of a kind out of the others, by their ids."""
    return {i: lines.pop((kind, i)) for i in lines_of(lines, kind)}


def order_in_file(one: Decision | AcceptedAnswer) -> tuple[bool, int, str, str]:
    """Order what people gave by the numbers of the file; what has none comes last, by its date."""
    return one.number == 0, one.number, one.date, one.id


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
        raise ValueError(f"it is not valid JSON ({error})") from error


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
        sentence = sentence_without_values(error.errors(include_url=False)[0], where)
        raise ValueError(sentence.removesuffix(".")) from error
    _check_contents(kind, record_id, body, where)


# Complex: one condition for each thing that a kind's schema cannot say, with a sentence of its own.
def _check_contents(kind: str, record_id: str, body: Mapping[str, Any], where: str) -> None:
    """Raise ValueError for what the schema of a kind cannot say."""
    if kind == "edit" and not (body.get("text") or body.get("steps")):
        raise ValueError(f"{where} needs the edited text or steps")
    if kind == ACCEPTED_ANSWER and not clean_question(body["question"]):
        raise ValueError(f"{where}: question must be text of 1 to {QUESTION_CHARACTERS:,} characters")
    if kind == FEEDBACK_KIND and not record_id.startswith(f"{FEEDBACK_KIND}-"):  # it must be that of no raw issue
        raise ValueError(f"{where}: its id must begin with {FEEDBACK_KIND}-")
    if kind == FEEDBACK_KIND and not replace_controls(body["query"]).strip():
        raise ValueError(f"{where}: query must be text of 1 to {LONGEST_QUERY:,} characters")
    longest = _LONGEST.get(kind)
    if longest is not None and len(body["text"]) > longest:
        raise ValueError(f"{where} has {len(body['text']):,} characters, and {longest:,} can be taken; split it")
    if kind == "setting":
        _check_setting(record_id, body, where)


def quote_value(value: object) -> str:
    """Return a value as a sentence names it: an id may have a million characters."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _check_setting(name: str, body: Mapping[str, Any], where: str) -> None:
    """Refuse a setting that would end every later command."""
    try:
        if name == "gate":
            read_gate(body)
        elif name == CALIBRATION:
            read_calibrated_gate(body)
        elif name == CONFIDENCE:
            read_recalibration(body)
        elif name in built_in("takes"):
            of_ours("takes", name).check(body)
        elif name == "domain":
            if not isinstance(body.get("yaml"), str):
                raise ValueError(f"{where} needs yaml as text")
            read_domain(parse_yaml(body["yaml"], DOMAIN_FILE))
    except BadInputError as error:
        raise ValueError(f"{where}: {error}") from error

"""The bodies that the service takes; what they mean is said in one place, behind ``SupportKB``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt

from autokb.core.in_use import FeedbackVerdict, SuggestionSource
from autokb.core.nouns import Role
from autokb.core.roles import Role as KeyRole
from autokb.core.storable import without_surrogates

Text = Annotated[str, AfterValidator(without_surrogates)]  # JSON can spell halves of a character, UTF-8 cannot


def takes(words: str, example: Any, **bounds: Any) -> Any:
    """Return what is said of a field: what it takes, in words and with an example."""
    return Field(description=words, examples=[example], **bounds)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")  # a misspelt name is refused, not ignored


class Question(_Body):
    """What ``ask`` takes."""

    text: Text
    attributes: dict[Text, list[Text]] = Field(default_factory=dict)
    k: Annotated[int, Field(ge=1, le=100, strict=True)] = 5
    explain: StrictBool = False
    style: Literal["", "steps", "reply"] = ""


class SaidMessage(_Body):
    """A message of a conversation."""

    role: Role
    text: Text
    date: Text = ""


class LiveConversation(_Body):
    """What ``suggest`` takes; the last message is the customer's."""

    messages: list[SaidMessage]
    strategy: Text = "plain"
    passages: StrictInt = 3
    conversation: Text = ""


class NewCheck(_Body):
    """A question that must stay right, and what is right: a document and its heading, or another thing."""

    id: Text
    text: Text
    attributes: dict[Text, list[Text]] = Field(default_factory=dict)
    document: Text = ""
    heading: Text = ""
    solution: Text = ""
    ticket: Text = ""
    outcome: Literal["", "answered", "asks", "abstains"] = ""


class NewOutcome(_Body):
    """How a conversation ended; null is what nobody knows."""

    conversation: Annotated[Text, takes("The id of the conversation, as its suggestions were asked for.", "c-17")]
    resolved: Annotated[StrictBool | None, takes("True or false: whether it solved the problem.", True)] = None
    returned: Annotated[StrictBool | None, takes("True or false: whether the customer came back with it.", False)] = (
        None
    )
    seconds: Annotated[
        Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)] | None,
        takes("A number: how many seconds the conversation took.", 90.0),
    ] = None
    date: Annotated[Text, takes("A day or a moment in ISO 8601; empty is now.", "2026-03-01")] = ""


class NewFeedback(_Body):
    """What became of a suggestion."""

    query: Text
    verdict: FeedbackVerdict
    solution_id: Text | None = None
    text: Text = ""
    documents: list[Text] = Field(default_factory=list)
    source: SuggestionSource = ""
    conversation: Text = ""
    author: Text = ""
    group: Text = ""


class NewText(_Body):
    """Another text of a solution, or other steps; ``version`` is that of the text that was read."""

    text: Text = ""
    steps: list[Text] = Field(default_factory=list)
    version: Text = ""


class ReadVersion(BaseModel):
    """What a verdict may come with: the version of the solution that was read."""

    version: Text = ""


class NewKey(_Body):
    """Whom a key is for: a role and, to be known by in histories, a name."""

    role: KeyRole
    name: Text = ""

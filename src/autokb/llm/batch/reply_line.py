"""What one line of a reply file holds, whichever provider's form it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from autokb.core.model_requests import TOKENS_MOST, ModelReply
from autokb.core.storable import without_surrogates

SHOWN = 200  # characters of an error that came as a reply
Finish = Literal["stop", "length", "refusal", "other"]


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """One line: the request it names (may be none) and its reply, or the reason why there is none.

    Tokens of None were not counted by whoever wrote the line.
    """

    custom_id: str
    text: str = ""
    finish: Finish = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    reason: str = ""

    def reply(self, characters: int) -> ModelReply:
        """Return the reply; tokens that were not counted are a quarter of the characters of request and reply."""
        read = self.input_tokens if self.input_tokens is not None else (characters + 3) // 4
        wrote = self.output_tokens if self.output_tokens is not None else (len(self.text) + 3) // 4
        was_used_up = self.finish == "length" and not self.text.strip()  # by what nobody sees
        hidden = min(self.reasoning_tokens or (wrote if was_used_up else 0), wrote)
        return ModelReply(self.text, read, wrote, min(self.cached_tokens, read), self.finish, hidden)


def read_count(value: Any) -> int | None:
    """Return a number of tokens that somebody counted, None where it is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < TOKENS_MOST else None


def describe_error(what: str, error: Any) -> str:
    """Say what came in the place of a reply."""
    text = error.get("message") or error.get("code") if isinstance(error, dict) else error
    shown = " ".join(without_surrogates(str(text)).split())[:SHOWN] if text else ""
    return f"{what}: {shown}" if shown else what

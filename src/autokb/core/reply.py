"""What every answer is made of, whether an engine works it out or a model writes it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Reply(BaseModel):
    """A typed answer to a question; it is frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReplyError(ValueError):
    """An answer that reads but is wrong; the message says what."""


class LeftOut(Reply):
    """A part of a model's reply that broke a check, and why it is not used."""

    part: str
    reason: str

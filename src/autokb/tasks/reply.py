"""What every task's answer is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Reply(BaseModel):
    """The typed answer of a task; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReplyError(ValueError):
    """A reply that reads but is wrong; the message says what."""


class LeftOut(Reply):
    """A part of a model's reply that broke a check, and why it is not used."""

    part: str
    reason: str

"""A conversation between a customer and an agent, message by message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["customer", "agent"]
CUSTOMER: Role = "customer"
AGENT: Role = "agent"


@dataclass(frozen=True, slots=True)
class Message:
    """What one of the two wrote; ``date`` is ISO 8601 or empty."""

    role: Role
    text: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one conversation in their order."""

    id: str
    messages: tuple[Message, ...]

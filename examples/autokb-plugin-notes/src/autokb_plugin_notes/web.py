"""The paths and the page of pins, and the tool of the MCP server."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from autokb.app import SupportKB
from autokb.web.middleware import in_thread
from autokb.web.pages.rendering import render
from autokb.web.serving import kb_of


class NewPin(BaseModel):
    """The body of ``POST /v1/notes``."""

    document: str
    reason: str = ""


class ShownPin(BaseModel):
    """A pinned document."""

    document: str
    author: str
    reason: str


class ShownPins(BaseModel):
    """All pins."""

    pins: list[ShownPin]


class PinnedArguments(BaseModel):
    """The tool takes nothing."""

    model_config = ConfigDict(extra="forbid")


def _shown(pins: list[Any]) -> dict[str, Any]:
    return {"pins": [vars(pin) for pin in pins]}


async def list_pins(request: Request) -> ShownPins:
    """List the pinned documents."""
    return ShownPins(**_shown(await in_thread(kb_of(request).notes.list)))


async def add_pin(request: Request, pin: NewPin) -> ShownPins:
    """Pin a document."""
    author = request.scope["state"]["caller"].author
    return ShownPins(**_shown(await in_thread(lambda: kb_of(request).notes.add(pin.document, author, pin.reason))))


async def page(request: Request) -> Response:
    """Show the pinned documents."""
    return render(request, "notes/pins.html", pins=await in_thread(kb_of(request).notes.list))


def pinned_tool(kb: SupportKB, role: str, asked: PinnedArguments) -> dict[str, Any]:
    """Return the pinned documents for a model."""
    return _shown(kb.notes.list())

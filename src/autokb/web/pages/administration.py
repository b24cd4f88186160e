"""Who may use the service, and how it is set up: keys made, listed and revoked, and the settings in force."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from autokb.app.api_keys import NAME_CHARACTERS, CreatedKey
from autokb.core.errors import BadInputError
from autokb.core.roles import ROLES
from autokb.web.access import Caller
from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import render
from autokb.web.problems import ProblemError
from autokb.web.routes import Admin
from autokb.web.serving import kb_of, see_other

FIRST = "The first key is an admin's: from then on nobody gets in without a key."
OWN = "You are signed in with this key; sign in with another one to revoke it."
pages = APIRouter(include_in_schema=False)


@pages.get("/settings")
async def show(request: Request, caller: Admin) -> Response:
    """Show the keys and the settings."""
    return await _page(request, caller)


@pages.post("/settings/keys")
async def create(request: Request, caller: Admin, role: Text, name: Text = "") -> Response:
    """Make a key and show it, this once; the first one is an admin's, so that somebody can make the others."""
    kb = kb_of(request)

    def make() -> CreatedKey:
        if role != "admin" and not kb.keys.are_needed():
            raise BadInputError(FIRST)
        return kb.keys.create(role, name.strip().lower().replace(" ", "-"))

    try:
        made = await in_thread(make)
    except BadInputError as error:
        return await _page(request, caller, problem=str(error), status=422)
    return await _page(request, caller, made=made)


@pages.post("/settings/keys/revoke")
async def revoke(request: Request, caller: Admin, key: Text) -> Response:
    """Let a key count no more; one's own is kept, so that an admin is left who can sign in."""
    if key == caller.key:
        raise ProblemError(422, OWN)
    await in_thread(lambda: kb_of(request).keys.revoke(key))
    return see_other("/settings")


async def _page(
    request: Request, caller: Caller, *, made: CreatedKey | None = None, problem: str = "", status: int = 200
) -> Response:
    kb = kb_of(request)
    keys = await in_thread(lambda: kb.keys.list().keys)
    return render(
        request,
        "administration.html",
        status,
        keys=sorted(keys, key=lambda one: one.revoked is not None),
        made=made,
        own=caller.key,
        problem=problem,
        choices=ROLES if keys else ("admin",),
        name_characters=NAME_CHARACTERS,
        settings=kb.settings().items,
    )

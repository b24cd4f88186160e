"""Sign in with a key, which the browser then holds in a cookie that no script reads and no other site sends."""

from __future__ import annotations

import mimetypes

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from autokb.web.access import COOKIE
from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import read_asset, render
from autokb.web.problems import ProblemError
from autokb.web.serving import keys_of, root, see_other

KEPT_SECONDS = 12 * 3600  # a shift; then the key is asked for again
ASSET_SECONDS = 30 * 24 * 3600  # a changed file has another path
WRONG = "This key is wrong or revoked. Ask whoever runs the service for another."
pages = APIRouter(include_in_schema=False)


@pages.get("/login")
async def show(request: Request, next: str = "") -> Response:  # noqa: A002 - the query's name
    """Ask for a key."""
    return render(request, "sign_in.html", next=_local(next), wrong="")


@pages.post("/login")
async def sign_in(request: Request, key: Text, next: Text = "") -> Response:  # noqa: A002
    """Keep a key that counts in a cookie."""
    keys = keys_of(request)
    if await in_thread(lambda: keys.find(key.strip())) is None:
        return render(request, "sign_in.html", 401, next=_local(next), wrong=WRONG)
    response = RedirectResponse(_local(next), 303)  # which has what stands in front of it
    is_secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
    response.set_cookie(
        COOKIE, key.strip(), max_age=KEPT_SECONDS, httponly=True, samesite="strict", secure=is_secure, path=f"{root()}/"
    )
    return response


@pages.post("/logout")
async def sign_out(request: Request) -> Response:
    """Forget the key in this browser."""
    response = see_other("/login")
    for path in sorted({"/", f"{root()}/"}):  # among several workspaces it may be signed in to all that the key is for
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", path=path)
    return response


@pages.get("/static/{name}")
async def asset(name: str) -> Response:
    """Give a script or a style sheet of the package."""
    data = read_asset(name)
    if data is None:
        raise ProblemError(404, "File not found.")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    kept = {"Cache-Control": f"public, max-age={ASSET_SECONDS}, immutable"}
    return Response(data, media_type=kind, headers=kept)


def _local(path: str) -> str:
    """Return where to go next, which is never another site, nor another workspace."""
    is_ours = path.startswith(f"{root()}/") and not path.startswith(("//", "/\\"))
    return path if is_ours else f"{root()}/"

"""Who sends a request: the holder of a key, or the person at this machine while the workspace has no key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.routing import Match
from starlette.types import Scope

from autokb.core.plugins import plugins
from autokb.core.roles import Role, may
from autokb.web.problems import ProblemError
from autokb.web.serving import Keys, path_of

# What a proxy adds; with one of them a request that comes from loopback need not have begun there.
FORWARDING = frozenset(
    {"forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip"}
)
HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@]+)(?::[0-9]{1,5})?")
OPEN_PATHS = frozenset({"/v1/health", "/v1/ready"})  # they tell nothing of what the workspace holds
COOKIE = "autokb_key"  # of a browser whose user signed in
SIGNING_IN = ("/login", "/logout", "/static/")  # which nobody needs a key for
EMBED = "/embed"  # nor for this, where the settings name sites that may show it
SAFE_METHODS = frozenset({"GET", "HEAD"})
OTHER_SITE = "This form was not sent from a page of this service; open the page again and send it from there."
CHALLENGE = {"WWW-Authenticate": "Bearer"}
WANTED = "Send a key as the header Authorization: Bearer KEY; autokb keys create makes one."
REFUSED = "This key is wrong or revoked; autokb keys create makes another."


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request; ``key`` is the id of the key, empty at this machine without one."""

    key: str
    role: Role

    @property
    def author(self) -> str:
        """Who is named for what goes on record: the key, or who needs none."""
        return self.key or "who runs the service"


def asks_store(keys: Keys, scope: Scope, open_paths: frozenset[str] = OPEN_PATHS) -> bool:
    """Return whether ``identify`` waits for a server that keeps the keys; it then is to be called beside the loop."""
    headers, path = Headers(scope=scope), path_of(scope)
    shown = [one.partition(" ")[2].strip() for one in headers.getlist("authorization")]
    in_cookie = key_in_cookie(headers)
    shown += [] if in_cookie is None else [in_cookie]
    is_open = _is_open(path, open_paths) or _is_for_all(path)
    return (bool(shown) or not is_open) and keys.wait_for_store(shown)


# Complex: the order of key, origin, cookie and open path is what keeps the service safe.
def identify(keys: Keys, scope: Scope, bound_to: str, open_paths: frozenset[str] = OPEN_PATHS) -> Caller | None:
    """Return who sends a request (ProblemError 401); None on an open path without a key.

    A key that is shown is checked, on every path. ``bound_to`` is the address that the server listens on. What a
    browser sends by itself, its cookie or being at this machine, changes nothing unless one of our pages sent it (403).
    """
    headers = Headers(scope=scope)
    shown = headers.getlist("authorization")
    if shown:
        scheme, _, secret = shown[0].strip().partition(" ")
        found = keys.find(secret.strip()) if len(shown) == 1 and scheme.lower() == "bearer" else None
        if found is None:
            raise ProblemError(401, REFUSED, CHALLENGE)
        return Caller(found.id, found.role)
    shown_in_cookie, path = key_in_cookie(headers), path_of(scope)
    may_be_form = shown_in_cookie is not None or not path.startswith("/v1/")
    if may_be_form and _changes_something(scope) and not is_same_origin(headers):
        raise ProblemError(403, OTHER_SITE)
    if _is_for_all(path):
        return None
    if shown_in_cookie is not None:
        found = keys.find(shown_in_cookie)
        if found is None:
            raise ProblemError(401, REFUSED, CHALLENGE)
        return Caller(found.id, found.role)
    if _is_open(path, open_paths):
        return None
    return _person_here(keys, scope, headers, bound_to)


def _person_here(keys: Keys, scope: Scope, headers: Headers, bound_to: str) -> Caller:
    """Return the person at this machine, who needs no key while there is none (ProblemError)."""
    if not is_at_this_machine(scope, headers, bound_to) or keys.are_needed():
        raise ProblemError(401, WANTED, CHALLENGE)
    # A page of another port of this machine may send what has no body without asking first; programs say no origin.
    is_by_page = "origin" in headers or "sec-fetch-site" in headers
    if is_by_page and _changes_something(scope) and not is_same_origin(headers):
        raise ProblemError(403, OTHER_SITE)
    return Caller("", "admin")


def _changes_something(scope: Scope) -> bool:
    """Return whether a request may change something; one that no path takes does not, and is told which there are."""
    return scope["method"] not in SAFE_METHODS and any(
        route.matches(scope)[0] is Match.FULL for route in scope["app"].routes
    )


def _is_for_all(path: str) -> bool:
    return path.startswith(SIGNING_IN) or path == EMBED


def key_in_cookie(headers: Headers) -> str | None:
    """Return the key that a browser holds: of two the first, which is that of the longer path (RFC 6265, 5.4)."""
    for part in "; ".join(headers.getlist("cookie")).split(";"):
        name = part.partition("=")[0]
        if name.strip() == COOKIE:
            return cookie_parser(part.strip())[COOKIE]
    return None


def is_at_this_machine(scope: Scope, headers: Headers, bound_to: str) -> bool:
    """Return whether a request comes from this machine, as itself, through a server that only this machine reaches.

    Host and Origin keep out pages of other sites in the browser of the person at this machine: under a name that was
    pointed at loopback (DNS rebinding), or by a form.
    """
    ends = [end[0] for end in (scope.get("server"), scope.get("client")) if end]
    if len(ends) < 2 or not all(map(_is_loopback, (bound_to, *ends))):
        return False
    if any(name in FORWARDING or name.startswith("x-forwarded-") for name in headers):
        return False
    hosts = headers.getlist("host")
    if len(hosts) != 1 or (named := HOST.fullmatch(hosts[0])) is None or not _is_loopback(named[1]):
        return False
    return all(map(_is_loopback_origin, headers.getlist("origin")))


def is_same_origin(headers: Headers) -> bool:
    """Return whether a browser says that a page of this very service sent a request."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.getlist("origin")
    return len(origin) == 1 and urlsplit(origin[0]).netloc.lower() == headers.get("host", "").lower() != ""


def _is_open(path: str, open_paths: frozenset[str]) -> bool:
    return path in open_paths or path.startswith(plugins().signed)


def _is_loopback(host: str) -> bool:
    name = host.removeprefix("[").removesuffix("]")
    if name.lower() == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _is_loopback_origin(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and _is_loopback(parts.hostname or "")
    except ValueError:
        return False


def check_role(caller: Caller | None, needed: Role) -> None:
    """Refuse who may not do this (ProblemError)."""
    if caller is None:
        raise ProblemError(401, WANTED, CHALLENGE)
    if not may(caller.role, needed):
        raise ProblemError(403, f"You need {needed} rights; your key has the role {caller.role}.")

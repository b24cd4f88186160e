"""The switch of a browser between what readers see and the candidate, for the pages that people leaf through."""

from __future__ import annotations

from threading import Lock

from starlette.requests import Request

from autokb.app import SupportKB
from autokb.core.api_keys import may
from autokb.web.access import Caller

COOKIE = "autokb_shows"  # of a browser whose user looks at the candidate
CANDIDATE = "candidate"
_opening = Lock()


def shown_kb(request: Request) -> SupportKB:
    """Return the knowledge base that this browser looks at: the candidate, while there is one, by its user's choice."""
    kb: SupportKB = request.app.state.kb
    caller: Caller | None = request.scope["state"].get("caller")
    if request.cookies.get(COOKIE) != CANDIDATE or caller is None or not may(caller.role, "agent"):
        return kb
    if not kb.versions.has_candidate:
        return kb
    request.scope["state"]["at_candidate"] = True
    return candidate_kb(request)


def candidate_kb(request: Request) -> SupportKB:
    """Return what answers and shows the candidate (BadInputError where there is none); it stays open."""
    state = request.app.state
    with _opening:
        if getattr(state, "candidate", None) is None:
            state.candidate = SupportKB.open(state.folder, shows=CANDIDATE)
    kb: SupportKB = state.candidate
    return kb

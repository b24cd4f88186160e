"""The switch of a browser between what readers see and the candidate, for the pages that people leaf through."""

from __future__ import annotations

from starlette.requests import Request

from autokb.app import SupportKB
from autokb.app.workspaces import CANDIDATE
from autokb.core.roles import may
from autokb.web.access import Caller
from autokb.web.serving import candidate_of, kb_of

COOKIE = "autokb_shows"  # of a browser whose user looks at the candidate


def shown_kb(request: Request) -> SupportKB:
    """Return the knowledge base that this browser looks at: the candidate, while there is one, by its user's choice."""
    kb = kb_of(request)
    caller: Caller | None = request.scope["state"].get("caller")
    if request.cookies.get(COOKIE) != CANDIDATE or caller is None or not may(caller.role, "agent"):
        return kb
    if not kb.versions.has_candidate:
        return kb
    request.scope["state"]["at_candidate"] = True
    return candidate_of(request)

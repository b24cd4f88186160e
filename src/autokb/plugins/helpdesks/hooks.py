"""The webhooks of helpdesks: a signature in the place of a key, and an answer as soon as the message is stored."""

from __future__ import annotations

from typing import Literal

from fastapi import Request
from pydantic import BaseModel

from autokb.helpdesks.refused import NOT_OURS, NOT_SIGNED, NotSignedError, RefusedWebhookError
from autokb.plugins.helpdesks import MESSAGES
from autokb.web.access import CHALLENGE
from autokb.web.middleware import in_thread
from autokb.web.problems import ProblemError
from autokb.web.serving import figures_of, serving_of


class TakenHook(BaseModel):
    """What was done with a webhook: its message was taken, is known, is none to be worked on, or another account's."""

    message: Literal["taken", "known", "skipped", "not_ours"]


async def take(request: Request, helpdesk: str, token: str = "") -> TakenHook:
    """Take the message of a helpdesk that the settings name; the note follows by the helpdesk's own interface.

    A workspace that does not exist, or has no such helpdesk, answers as one whose signature is wrong.
    """
    opened, body, state = serving_of(request).opened, await request.body(), request.scope["state"]
    if opened is None:
        state["why"] = "there is no such workspace"
        raise ProblemError(401, NOT_SIGNED, CHALLENGE)
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        done = await in_thread(lambda: opened.kb.helpdesks.take(helpdesk, headers, body, token=token))
    except RefusedWebhookError as error:
        state["why"] = error.why
        if not isinstance(error, NotSignedError):
            raise
        raise ProblemError(401, NOT_SIGNED, CHALLENGE) from error
    finally:
        wake = state["door"].wake  # to note it, or to store that it was refused
        wake()
    if done == "not_ours":
        state["why"] = NOT_OURS
    figures_of(request).counters[MESSAGES].labels(helpdesk, done).inc()
    return TakenHook(message=done)

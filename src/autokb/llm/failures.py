"""What a provider's error means for the client: send again, give this request up, or end the build."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from autokb.core.model_requests import SendError
from autokb.core.storable import without_surrogates
from autokb.llm.keys import scrubbed, variable_of
from autokb.net.reply_bound import find_too_long

SHOWN = 300  # characters of what a provider said
AGAIN = (408, 409, 425, 429)  # refusals that are not about the request itself; so are all of 500 and above
NOT_SENT = ("pool", "connect")


def failure(error: Exception, model: str) -> SendError:
    """Turn what a provider's package raised into a SendError; no key is left in its text."""
    from pydantic_ai import exceptions as known

    if (long := find_too_long(error)) is not None:
        return long
    said = scrubbed(_said(error))[:SHOWN]
    name, provider = model.partition(":")[2], model.partition(":")[0]
    match error:
        case known.ModelAuthenticationError():
            if not os.environ.get(variable_of(provider), "").strip():
                return _fatal(f"{_status(error)}the server of {model} wants a key: set {variable_of(provider)}.")
            return _fatal(
                f"{_status(error)}{variable_of(provider)} was refused for {model}: {said} Set a key that may use it."
            )
        case known.ModelNotFoundError():
            return _fatal(f"{_status(error)}the model {name!r} was not found: {said} Check its name and the base_url.")
        case known.ModelQuotaExceededError():
            return _fatal(
                f"{_status(error)}the account of {variable_of(provider)} has nothing left to spend: {said} What is "
                "paid for is kept; run the command again once there is credit."
            )
        case known.ModelConnectionError():
            if error.phase in NOT_SENT:  # once a request was sent it may have been paid for
                return SendError(
                    f"No connection to the model's server could be made: {said}", retry=True, unreached=True
                )
            return SendError(f"The connection broke before the reply was there: {said}", retry=True, billed="perhaps")
        case known.ModelAPIError():
            return _refusal(error, said)
        case known.UserError():
            return SendError(f"The request cannot be put to {model}: {said}", retry=False)
        case known.UnexpectedModelBehavior():
            return SendError(f"What came back is no reply: {said}", retry=True, billed="perhaps")
    return _other(error, model, said)


def timed_out(seconds: float) -> SendError:
    """Return what a request that took too long ends with."""
    return SendError(f"No reply came within {seconds:g} seconds.", retry=True, billed="perhaps")


def _fatal(sentence: str) -> SendError:
    return SendError(sentence, retry=False, fatal=True)


def _refusal(error: Any, said: str) -> SendError:
    status = getattr(error, "status_code", None)
    if status is None:  # 200, but nothing that can be read
        return SendError(f"What came back is no reply: {said}", retry=True, billed="perhaps")
    return SendError(f"{_status(error)}{said}", retry=is_worth_a_retry(status), retry_after=error.retry_after)


def is_worth_a_retry(status: int) -> bool:
    """Return whether a request that was refused with this HTTP status may be taken when it is sent again."""
    return status in AGAIN or status >= 500


def _other(error: Exception, model: str, said: str) -> SendError:
    """Errors that a provider's package raises in its own words."""
    kind = type(error).__name__
    if isinstance(error, ValueError | LookupError | RecursionError | TypeError | AttributeError):
        # A provider's package fell over what came back: no choices at all, numbers of 5,000 digits.
        return SendError(f"What came back is no reply: {kind}: {said}", retry=True, billed="perhaps")
    if "Credential" in kind or "NoRegion" in kind or "TokenRetrieval" in kind:
        return _fatal(f"{model} cannot be asked: {said} Set the variables that its provider needs.")
    return SendError(f"{kind}: {said}", retry=False)


def _status(error: Any) -> str:
    code = getattr(error, "status_code", None)
    return f"HTTP {code}: " if code else ""


def _said(error: Exception) -> str:
    """Return the provider's own sentence, without the page or the object around it."""
    body = getattr(error, "body", None)
    found = body
    for name in ("error", "Error", "message", "Message"):
        if isinstance(found, Mapping) and name in found:
            found = found[name]
    if isinstance(found, str) and found.strip():
        text = found
    elif body is not None and hasattr(error, "status_code"):
        text = "the provider gave no reason."
    else:
        text = str(error) or type(error).__name__
    text = " ".join(without_surrogates(text).split())
    return text if text.endswith((".", "!", "?")) else f"{text}."

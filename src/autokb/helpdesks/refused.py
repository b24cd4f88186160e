"""Why a webhook is refused, in sentences that the log and ``doctor`` tell, and the errors that say it."""

from __future__ import annotations

from autokb.core.errors import BadInputError

NOT_SIGNED = "This is no webhook that a helpdesk of this workspace signed in the last five minutes."
# Why a webhook is refused. Anybody can send what has one of the first three; the others are of webhooks that somebody
# signed who has the secret, or of our own settings.
NO_SIGNATURE = "it has no signature"
NO_TOKEN = "it has no signature, and its address no right token"
OTHER_SECRET = "its signature is not of this secret"
LATE = "its signature is more than 5 minutes away from our clock"
NOT_OURS = "it is of another account than the settings name"
NO_JSON = "its body is no JSON"
NOT_NAMED = "the settings name no such helpdesk"
FAILS = "its plug-in fails"  # and at what
NOT_SET = "is not set"  # behind the name of a variable
ANYBODYS = (NO_SIGNATURE, NO_TOKEN, OTHER_SECRET)
OF_SIGNATURES = (*ANYBODYS, LATE)


class RefusedWebhookError(BadInputError):
    """A webhook that is not taken; ``why`` is one of a few sentences, for the log and for ``doctor``."""

    def __init__(self, sentence: str, why: str) -> None:
        super().__init__(sentence)
        self.why = why


class NotSignedError(RefusedWebhookError):
    """A webhook without the signature that it needs, or for a helpdesk that the settings do not name.

    Whoever sent it is told the same of each.
    """

    def __init__(self, why: str) -> None:
        super().__init__(NOT_SIGNED, why)

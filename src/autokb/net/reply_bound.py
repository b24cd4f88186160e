"""How long a reply may be, and what becomes of one that is longer."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.model_requests import SendError

UTF8_MOST = 4  # bytes of a character


@dataclass
class ReplyBound:
    """How many bytes an answer may have; what answers many requests at once may have ``replies`` times as many."""

    bytes_each: int
    replies: int = 1

    @property
    def bytes(self) -> int:
        """Return the bound of one answer."""
        return self.bytes_each * self.replies


class ReplyTooLongError(Exception):
    """A server's answer is longer than the bound, and was not read to its end."""


def too_long(most: int) -> str:
    """Return the sentence about a reply that is longer than the settings allow."""
    return f"The reply is longer than max_reply_bytes in settings.yaml ({most} bytes) and is left out."


def is_too_long(text: str, most: int) -> bool:
    """Return whether a reply's text, as UTF-8, is longer than the settings allow."""
    return len(text) > most or (len(text) * UTF8_MOST > most and len(text.encode("utf-8", "replace")) > most)


def find_too_long(error: BaseException | None) -> SendError | None:
    """Return what a request ends with whose error came of an answer beyond the bound; None for any other error.

    Providers' packages raise errors of their own in the place of those of the connection.
    """
    while error is not None:
        if isinstance(error, ReplyTooLongError):
            return SendError(str(error), retry=False, billed="perhaps")
        error = error.__cause__ or error.__context__
    return None

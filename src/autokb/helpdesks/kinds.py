"""The helpdesks by the names of the settings: ours, and what plug-ins bring, whose failures end in one error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from autokb.core.plugins import built_in, code_of, implementation, place_in, use
from autokb.helpdesks.helpdesk import DeskRequest, Helpdesk, ReceivedMessage, StandingText
from autokb.helpdesks.refused import FAILS
from autokb.helpdesks.sending import LaterError

# What the methods of a helpdesk return; all others make a request.
_GIVES: Mapping[str, Any] = {"why_unsigned": str, "read": ReceivedMessage | None, "standing": list, "is_led": bool}


def helpdesk_of(name: str) -> Helpdesk:
    """Return a helpdesk by its name in the settings; of somebody else's, this and any method may raise LaterError."""
    ours = built_in("helpdesks")
    return cast("Helpdesk", use(*ours[name])() if name in ours else _OfPlugin(name))


class _OfPlugin:
    def __init__(self, name: str) -> None:
        with _contained("class", ""):
            self._code = code_of("helpdesks", name)
        with _contained("class", self._code):
            self._own = implementation("helpdesks", name)()
            self.account_at = tuple(map(str, self._own.account_at))

    def __getattr__(self, what: str) -> Any:
        @_contained(what, self._code)
        def method(*given: Any, **named: Any) -> Any:
            found = getattr(self._own, what)(*given, **named)
            if what == "standing":
                found = [StandingText(str(one.text), float(one.since)) for one in found]
            if not isinstance(found, _GIVES.get(what, DeskRequest)):
                raise TypeError
            return found

        return method


@contextmanager
def _contained(what: str, code: str) -> Iterator[None]:
    """Tell an error by its kind and place alone, for its words may be a customer's."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise LaterError(f"{FAILS}: {what} ({type(error).__name__}{place_in(error, code)})", is_unsure=False) from None

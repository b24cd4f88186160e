"""How the helpdesks of a workspace are, for ``doctor``: what waits, what failed, and whether webhooks are accepted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from autokb.app.doctor import Finding
from autokb.core.helpdesk_settings import HelpdeskSettings, required_of
from autokb.core.settings import Settings
from autokb.helpdesks.helpdesk import id_of
from autokb.helpdesks.refused import ANYBODYS, FAILS, LATE, NO_JSON, NOT_NAMED, NOT_OURS
from autokb.stores.hook_messages import (
    FAILED,
    CountedHooks,
    UnfinishedMessages,
    accepted_hooks,
    refused_hooks,
    unfinished_messages,
)
from autokb.stores.workspace_file import WorkspaceFile

WAITS_LONG = 600.0  # seconds that a note may wait: it takes some, and a short outage of a helpdesk some minutes


def find_faults(file: WorkspaceFile, settings: Settings) -> Iterator[Finding]:
    """Yield what is wrong now, and what went wrong in the last month."""
    helpdesks = settings.helpdesks
    for one in unfinished_messages(file):
        yield _failed(one, is_named=one.helpdesk in helpdesks) if one.state == FAILED else _waiting(one)
    accepted = accepted_hooks(file)
    for refused in refused_hooks(file, time.time()):
        yield _refused(refused, helpdesks.get(refused.helpdesk), accepted.get(refused.helpdesk))


def _failed(one: UnfinishedMessages, *, is_named: bool) -> Finding:
    """Tell of notes that nobody will get: a problem until the helpdesk takes a later one."""
    is_problem = is_named and not one.is_past
    said = f"Helpdesk {one.helpdesk}, messages that will get no note: {one.count}, since {_minute(one.since)}. "
    said += f"Last reason: {one.reason}"
    if one.is_past:
        said += " Later notes were written."
    elif is_problem:
        said += " This is a problem until a later note is written."
    ids = ", ".join(filter(None, map(id_of, one.conversations)))
    return Finding(said, is_problem, f" Their conversations, the latest first: {ids}." if ids else "")


def _waiting(one: UnfinishedMessages) -> Finding:
    why = f"Last reason: {one.reason}" if one.reason else "None was tried; see whether autokb serve runs."
    said = f"Helpdesk {one.helpdesk}, messages that wait for a note: {one.count}, since {_minute(one.since)}. {why}"
    return Finding(said, time.time() - one.since > WAITS_LONG)


def _refused(one: CountedHooks, settings: HelpdeskSettings | None, accepted: float | None) -> Finding:
    """Tell of webhooks that were refused: a problem where none was accepted, and where no outsider can have sent them.

    What anybody can send says nothing of a helpdesk whose webhooks were once accepted. Another account is no fault
    where the settings name theirs only because others share the secret.
    """
    said = (
        f"Helpdesk {one.helpdesk}, webhooks that were refused: {one.count}, since {_minute(one.since)}, the last at "
        f"{_minute(one.last)}. Reason: {one.reason}."
    )
    if settings is None:
        return Finding(said, is_problem=False)
    if accepted is None:
        return Finding(f"{said} None was ever accepted: {_advice(one.reason, settings)}.", is_problem=True)
    if accepted >= one.last:
        return Finding(f"{said} Later ones were accepted.", is_problem=False)
    is_shared = one.reason == NOT_OURS and "account" not in required_of(settings.name)
    is_problem = not is_shared and one.reason not in ANYBODYS
    hint = f"{'' if is_problem else 'if messages are missing, '}{_advice(one.reason, settings)}"
    return Finding(f"{said} The last one was accepted at {_minute(accepted)}: {hint}.", is_problem)


def _advice(reason: str, settings: HelpdeskSettings) -> str:
    """Say what to look at."""
    secret = settings.variable("secret_env")
    if reason in ANYBODYS:
        return f"compare {secret}, in the environment of the service, with the secret of this webhook in the helpdesk"
    known = {
        LATE: "set the clock of this machine",
        NOT_OURS: "see account in its settings",
        NO_JSON: "see the body of the webhook in the helpdesk",
        FAILS: "see autokb plugins, and tell who makes the plug-in",
        NOT_NAMED: "restart the service, which knows the settings as they were when it started",
    }
    return known.get(reason.partition(":")[0], f"set {secret} in the environment of the service, and restart it")


def _minute(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"

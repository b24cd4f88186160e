"""The settings that a workspace is served by, for admins; keys and passwords are no settings and not among them."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from autokb.core.results import Result
from autokb.core.settings import Settings
from autokb.stores.workspace import Workspace

HIDDEN = "..."  # stands for a user and a password that somebody wrote into an address
PASSWORD = re.compile(r"([?&][^=&]*password=)[^&#]*", re.IGNORECASE)  # as libpq takes them in a query


@dataclass(frozen=True, slots=True)
class SettingInForce(Result):
    """A setting and what it would be if nobody had set it."""

    name: str
    value: Any
    default: Any


@dataclass(frozen=True, slots=True)
class SettingsInForce(Result):
    """The settings that this process works by: ``settings.yaml`` as it was read, and the environment over it."""

    items: tuple[SettingInForce, ...]


def settings_in_force(workspace: Workspace) -> SettingsInForce:
    """Return every setting by its name, in the order of the documentation."""
    values, usual = asdict(workspace.settings), asdict(Settings())
    for name in ("base_url", "store"):
        values[name] = _without_secrets(values[name])
    values["plugins"] = {name: dict.fromkeys(section, HIDDEN) for name, section in values["plugins"].items()}
    names = (one.name for one in fields(Settings))
    return SettingsInForce(tuple(SettingInForce(name, values[name], usual[name]) for name in names))


def _without_secrets(address: str) -> str:
    """Return an address without the user before its host and without the passwords that its query may have."""
    try:
        user, _, _ = urlsplit(address).netloc.rpartition("@")
    except ValueError:  # no address
        return HIDDEN
    shown = address.replace(f"{user}@", f"{HIDDEN}@", 1) if user else address
    return PASSWORD.sub(rf"\1{HIDDEN}", shown)

"""What admins see of the settings that a workspace is served by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autokb.app.settings_in_force import settings_in_force
from autokb.stores.workspace import Workspace


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ann:sesame@db.example/kb?schema=shop", "postgresql://...@db.example/kb?schema=shop"),
        ("postgresql://db.example/kb?password=sesame&schema=a", "postgresql://db.example/kb?password=...&schema=a"),
        ("postgresql:///kb?schema=a&SSLPASSWORD=sesame", "postgresql:///kb?schema=a&SSLPASSWORD=..."),
        ("postgresql://db.example/kb?schema=shop", "postgresql://db.example/kb?schema=shop"),
        ("", ""),
    ],
)
def test_no_password_of_a_store_is_shown(hand_made: Workspace, address: str, shown: str) -> None:
    changed = replace(hand_made, settings=replace(hand_made.settings, store=address))
    values = {one.name: one.value for one in settings_in_force(changed).items}
    assert values["store"] == shown

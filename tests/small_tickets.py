"""Eight tickets written for the tests, as records of Jira's REST interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def record(key: str, summary: str, description: str = "", **fields: Any) -> dict[str, Any]:
    """Return an issue as Jira's REST interface gives it."""
    links = [
        {"type": {"name": kind}, "outwardIssue": {"key": target}} for kind, target in fields.pop("links", {}).items()
    ]
    comments = [
        {"author": {"displayName": "kim"}, "body": body, "created": "2024-03-02T08:00:00.000+0000"}
        for body in fields.pop("comments", ())
    ]
    return {
        "key": key,
        "fields": {
            "summary": summary,
            "description": description,
            "issuelinks": links,
            "comment": {"comments": comments},
            "status": {"name": "Closed"},
            "project": {"key": "APP"},
            "created": "2024-03-01T08:00:00.000+0000",
            **fields,
        },
    }


CRASH = """The app closes at once.

h3. Steps to reproduce
# Open the camera
# Press *Back*

h3. Expected result
The list is shown.

h3. Actual result
It crashes:
{noformat}
ERROR 10:00:01 camera is gone
ERROR 10:00:02 no surface
{noformat}
"""
RECORDS = [
    record(
        "APP-1",
        "App crashes when the camera is closed",
        CRASH,
        links={"Duplicate": "APP-2", "Relates": "OLD-9"},
        comments=["I see it too.", "h3. Root cause\nThe surface was freed twice.\n\nh3. Solution\nUpdate to 2.1."],
        components=[{"name": "Camera"}],
        priority={"name": "High"},
        resolution={"name": "Fixed"},
    ),
    record(
        "APP-2", "Camera crash when going back", "Closing the camera ends the app.", components=[{"name": "Camera"}]
    ),
    record("APP-3", "Printing cuts off the last page", "The last page of a long report is not printed."),
    record(
        "APP-4", "Last page is missing when printing", "Only nine of ten pages come out.", links={"Relates": "APP-3"}
    ),
    record("APP-5", "Cannot sign in with a new password", "After the reset the old password is still asked for."),
    record("APP-6", "Password reset mail never arrives", "Nothing is in the inbox, nor in spam."),
    record("APP-7", "Dark mode does not apply to menus", "Menus stay white."),
    record("APP-8", "Sync uses the battery up over night", "The phone is empty in the morning."),
]


def write(path: Path, records: list[dict[str, Any]] | None = None) -> Path:
    """Write them as an answer of the REST interface."""
    path.write_text(json.dumps({"total": 8, "issues": RECORDS if records is None else records}), encoding="utf-8")
    return path

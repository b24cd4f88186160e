"""Which tickets a question names, in whatever way people write their ids, and which words only look like one."""

from __future__ import annotations

import pytest

from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.heuristics.named_tickets import TicketIds

KEYS = TicketIds(["APP-1", "APP-9", "MOD-3"])
ONE_PROJECT = TicketIds(["APP-1", "APP-9"])
NUMBERS = TicketIds(["1", "5", "12"])
OTHERS = TicketIds(["INC0012345", "CASE-2024-001"])


@pytest.mark.parametrize(
    ("ids", "cases"),
    [
        (
            KEYS,
            {
                "fix of app-9?": ["APP-9"],
                "fix of APP 9": ["APP-9"],
                "fix of #APP-9.": ["APP-9"],
                "see https://x.test/browse/APP-9 for the fix": ["APP-9"],
                "what fixed APP-99 and APP-1": ["APP-99?", "APP-1"],
                "APP-99 APP-99": ["APP-99?"],
                "ticket 9 of the camera": ["9?"],  # of which project?
                "#5": ["5?"],
                "fix for ABC-12": ["ABC-12?"],
                "show me FOO-1": ["FOO-1?"],
                "is APP-1 a duplicate of FOO-7?": ["APP-1", "FOO-7?"],
                "how do I save UTF-8 mails": [],
                "app 2 crashes on start": [],
                "the #1 problem of the camera": [],
                "an issue 404 when pages load": [],
            },
        ),
        (ONE_PROJECT, {"the fix of ticket 9": ["APP-9"], "Vorgang Nr. 9": ["APP-9"], "ticket 77": ["77?"]}),
        (
            NUMBERS,
            {
                "#5": ["5"],
                "github.test/a/b/issues/12": ["12"],
                "issue no. 5": ["5"],
                "status of ticket 999999": ["999999?"],
                "#77 crashes the camera": ["77?"],
                "there are 5 cameras": [],
                "what fixed issue 404?": ["404?"],
                "issue 404 of the camera": [],
            },
        ),
        (
            OTHERS,
            {"inc0012345": ["INC0012345"], "INC0099999 status": ["INC0099999?"], "case-2024-099": ["case-2024-099?"]},
        ),
    ],
)
def test_ids_are_known_however_they_are_written(ids: TicketIds, cases: dict[str, list[str]]) -> None:
    for question, expected in cases.items():
        named = ids.named_in(question, shipped_template("en"))
        assert [one.ticket or f"{one.spelled}?" for one in named] == expected, question


def test_an_id_that_is_a_word_is_named_by_its_own_spelling() -> None:
    words = TicketIds(["Login", "SSL"])
    named = {text: words.named_in(text, shipped_template("en")) for text in ("the login fails", "fix of Login", "SSL?")}
    assert {text: [one.ticket for one in found] for text, found in named.items()} == {
        "the login fails": [],
        "fix of Login": ["Login"],
        "SSL?": ["SSL"],
    }


def test_a_whole_text_is_an_id_or_a_text() -> None:
    for spelled in ("APP-9", "app-9", " APP 9 ", "app 9", "#APP-9", "APP #9"):
        found = KEYS.read(spelled)
        assert found is not None and found.ticket == "APP-9", spelled
    for unknown, ids in (("APP-99", KEYS), ("999999", NUMBERS), ("#77", NUMBERS), ("FOO-1", KEYS)):
        found = ids.read(unknown)
        assert found is not None and found.ticket is None, unknown
    for text in ("the crash of APP-9", "404", "camera"):
        assert KEYS.read(text) is None, text

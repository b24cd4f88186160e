"""What is withheld, stands nowhere or is an unknown code is said; an emergency stands alone under its own heading."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autokb.answering.answer import HANDED_OVER
from autokb.app import SupportKB
from autokb.stores.workspace import create_workspace

MANUAL = """# The Brook kettle

## BK-2041: the kettle does not heat

Press the reset button under the base for five seconds.

## BK-3100: the lid is open

Close the lid until it clicks.

## Cleaning the kettle

Fill it with water and citric acid, wait for an hour and rinse it twice.

## The base is cracked

Take the kettle to an authorised service centre for repair.

## Water got into the base

Unplug the kettle at once and do not touch it with wet hands.

## Guarantee on the heating plate

The heating plate has a guarantee of two years from the day of purchase.
"""
DOMAIN = """name: kettle
description: Electric kettles of the maker Brook.
attributes:
  kettle_type: {kind: closed, values: [Glass, Steel]}
rules:
  - {id: no-service-centre, text: Do not send customers to a service centre., forbid: [service centre]}
urgent:
  - {name: wet base, section: Water got into the base, when: [water base, base wet]}
"""


@pytest.fixture(scope="module")
def kettle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SupportKB]:
    folder = tmp_path_factory.mktemp("kettle")
    (folder / "docs").mkdir()
    (folder / "docs" / "kettle.md").write_text(MANUAL, encoding="utf-8")
    create_workspace(folder / "kb", DOMAIN)
    kb = SupportKB.open(folder / "kb")
    kb.add([folder / "docs"])
    kb.build()
    yield kb


@pytest.mark.parametrize("text", ["the base is cracked", "crack in the base of my kettle"])
def test_a_section_that_a_rule_keeps_back_is_handed_over(kettle: SupportKB, text: str) -> None:
    found = kettle.ask(text)
    assert (found.outcome, found.shown, found.near) == ("abstains", (), ())
    assert '"The base is cracked" is withheld by rule no-service-centre' in str(found.reason)
    customer = found.for_customers()
    assert (customer.reason, customer.documents) == (HANDED_OVER, ())


def test_what_is_withheld_is_never_shown(kettle: SupportKB) -> None:
    for text in ("how do I clean it", "kettle does not get hot", "base"):
        assert "service centre" not in str(kettle.ask(text).as_json())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("BK-2042", "do not have this code"),
        ("error bk-9001 on the display", "do not have this code"),
        ("how heavy is the kettle", "the weight"),
        ("Can I use the base of the kettle with a Zorbex lid?", "whether it works with that"),
    ],
)
def test_what_no_section_states_is_said_with_the_nearest_page(kettle: SupportKB, text: str, said: str) -> None:
    found = kettle.ask(text)
    assert found.outcome == "abstains"
    assert (
        found.reason in ("Nothing here is about that.", "The closest pages don't answer this.") or said in found.reason
    )


@pytest.mark.parametrize("text", ["how long is the guarantee on the heating plate", "BK-2041", "clean the kettle"])
def test_what_a_section_states_is_answered(kettle: SupportKB, text: str) -> None:
    assert kettle.ask(text).outcome == "answered"


def test_a_known_code_is_found_in_a_long_log(kettle: SupportKB) -> None:
    log = "\n".join(f"12:{n:02}:00 INFO core.session heartbeat ok rtt={n}ms" for n in range(30))
    found = kettle.ask(f"What now?\n{log}\n12:40:00 ERROR core.heat BK-2041 no heat\n{log}")
    assert found.shown[0].text.startswith("BK-2041")


def test_an_emergency_stands_alone_under_its_heading(kettle: SupportKB) -> None:
    found = kettle.ask("there is water in the base, can I still clean and use it?")
    assert found.warning == "Urgent: Unplug the kettle at once and do not touch it with wet hands."
    assert len(found.shown) == 1
    suggested = kettle.suggest("there is water in the base, can I still use it?")
    assert suggested.warning == found.warning
    assert [one.text for one in suggested.suggestions] == [found.warning.removeprefix("Urgent: ")]

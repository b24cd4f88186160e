"""How the words of attribute values leave a line."""

from __future__ import annotations

import pytest

from autokb.core.domain import read_domain
from autokb.heuristics.titles.phrase_editing import without_attributes, without_values

SPEC = read_domain(
    {
        "attributes": {
            "os": {
                "values": ["Windows", "Mac", "Linux"],
                "synonyms": {"Mac": ["macbook"], "Windows": ["win10"]},
                "implies": {"Linux": {"shop": ["Direct"]}},
            },
            "provider": {"kind": "open", "examples": ["Gmail", "Yahoo"], "synonyms": {"Gmail": ["gmail.com"]}},
            "shop": {"values": ["Direct", "Retail"]},
        }
    }
)


@pytest.mark.parametrize(
    ("line", "names", "shorter"),
    [
        ("My buds won't connect to my MacBook", {"os"}, "Buds won't connect"),
        ("Folders vanish on Windows 11 after an update", {"os"}, "Folders vanish after an update"),
        ("Folders vanish, four macbook", {"os"}, "Folders vanish"),
        ("Heartburn Windows", {"os"}, "Heartburn"),
        ("Folders vanish (win10)", {"os"}, "Folders vanish"),
        ("Windows 10: folders vanish", {"os"}, "Folders vanish"),
        ("Folders vanish - Linux", {"os"}, "Folders vanish"),
        ("Folders vanish on Windows and Linux", {"os"}, "Folders vanish"),
        ("Cannot read my Gmail account", {"provider"}, "Cannot read my account"),
        ("Cannot read gmail.com mail on Windows", {"os", "provider"}, "Cannot read mail"),
        ("Windows update broke printing", {"os"}, None),
        ("Switch to Linux", {"os"}, None),
        ("One of my macbooks is dead", {"os"}, None),
        ("My MacBook won't wake up", {"os"}, "Won't wake up"),
        ("Mac keeps losing the link", {"os"}, "Keeps losing the link"),
        ("Mac refuses the link", {"os"}, None),
        ("Windows event log is full", {"os"}, None),
        ("The app cannot find Windows", {"os"}, None),
        ("The case has no Windows", {"os"}, None),
        ("On Windows and lost my folders", {"os"}, None),
        ("Can I use the Mac with the cable", {"os"}, None),
        ("Folders vanish since Windows", {"os"}, "Folders vanish"),
        ("Printing takes long", {"os"}, "Printing takes long"),
    ],
)
def test_attribute_words_go_where_grammar_allows(line: str, names: set[str], shorter: str | None) -> None:
    assert without_attributes(line, SPEC.attributes, names) == shorter


def test_a_line_of_thousands_of_values_is_read_to_its_end() -> None:
    assert without_attributes("Folders vanish on " + "Windows " * 10_000, SPEC.attributes, {"os"}) == "Folders vanish"


def test_a_value_before_a_phrase_leaves_no_hole() -> None:
    known = read_domain(
        {
            "attributes": {
                "device": {"values": ["Phone"], "synonyms": {"Phone": ["iphone"]}},
                "connection": {"values": ["Wired"], "synonyms": {"Wired": ["with the cable"]}},
            }
        }
    ).attributes
    line = "Can I use the iPhone with the cable"
    assert without_values(line, known) == line
    assert without_attributes(f"{line} when it is empty", known, {"device"}) is None
    assert without_values("No sound on the iPhone with the cable", known) == "No sound with the cable"

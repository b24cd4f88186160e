"""What a document says of itself before its text."""

from __future__ import annotations

import pytest

from autokb.text.front_matter import described


@pytest.mark.parametrize(
    ("front", "description", "tags"),
    [
        (
            "description: How to pair it.\ntags: [Bluetooth, phone, Bluetooth]",
            "How to pair it.",
            ("Bluetooth", "phone"),
        ),
        ("description: >-\n  Two lines\n  of it.\ntags:\n- a\n- b c", "Two lines of it.", ("a", "b c")),
        ("title: Pair it\ntags: phone, getting started ,", "", ("phone", "getting started")),
        ("description: 'Quoted: so'\ntags: []", "Quoted: so", ()),
        ("tags:\n- label: Phones\n  permalink: /p\n- 2024\n- [x]\n- {other: y}", "", ("Phones", "2024")),
        ("description: [a, list]\ntags: 7", "", ("7",)),
        ("description:\ntags:", "", ()),
        ("title: [broken", "", ()),
    ],
)
def test_the_description_and_the_tags_of_a_document(front: str, description: str, tags: tuple[str, ...]) -> None:
    assert described(f"---\n{front}\n---\n\n# Text\n") == (description, tags)


def test_a_text_without_front_matter_describes_nothing() -> None:
    assert described("# Text\n\ndescription: no\n") == ("", ())

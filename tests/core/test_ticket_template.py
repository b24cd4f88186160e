from __future__ import annotations

import pytest

from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError
from autokb.core.ticket_template import read_template
from autokb.domains.ticket_templates import shipped_template, ticket_template


def test_a_section_knows_its_way_from_the_ticket() -> None:
    template = read_template(
        {
            "sections": [
                {"name": "steps", "parent": "report", "headings": ["How to"]},
                {"name": "report", "relation": "HAS_IT"},
            ]
        }
    )
    assert [rule.name for rule in template.sections] == ["report", "steps"]
    assert [rule.relation for rule in template.path("steps")] == ["HAS_IT", "HAS_STEPS"]
    assert template["steps"].headings == ("how to",) and template["steps"].label == "Steps"


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ([], "must be a list"),
        ([{"relation": "A"}], "needs a name"),
        ([{"name": "Fix it"}], "small letters"),
        (["fix", "fix"], "two sections"),
        ([{"name": "fix", "parent": "gone"}], "no section"),
        ([{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}], "circle"),
        ([{"name": "a", "fields": ["x"]}, {"name": "b", "fields": ["x"]}], "leave one out"),
        ([{"name": "a", "relation": "has"}], "capitals"),
        ([{"name": "a", "blocks": ["pictures"]}], "code and log"),
        ([{"name": "a", "embedded": "maybe"}], "true or false"),
        ([{"name": "a", "heading": "x"}], "'heading'"),
        ([{"name": "a", "cues": [1]}], "list of words"),
    ],
)
def test_a_wrong_template_is_refused_with_a_sentence(sections: list[object], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        read_template({"sections": sections})


def test_a_domain_has_its_own_template_or_that_of_its_language() -> None:
    own = read_domain({"name": "x", "tickets": {"sections": ["fix"]}})
    assert [rule.name for rule in ticket_template(own).sections] == ["fix"]
    german = ticket_template(read_domain({"name": "x", "language": "de"}))
    assert "ursache" in german["root_cause"].headings
    assert [r.name for r in shipped_template("de").sections] == [r.name for r in shipped_template("en").sections]
    assert shipped_template("fr") == shipped_template("en")

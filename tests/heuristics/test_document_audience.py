"""A version or a product that only a folder or the front matter of a document names stands behind its title."""

from __future__ import annotations

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.nouns import Document
from autokb.heuristics.document_audience import proposed_audience, with_audiences

VERSIONS = {"kind": "closed", "values": ["version 1", "version 2"], "synonyms": {"version 1": ["v1"]}}
SYSTEMS = {"kind": "closed", "values": ["Windows", "macOS"]}


def spec(attributes: dict[str, object], **more: object) -> DomainSpec:
    return read_domain({"name": "test", "attributes": attributes, **more})


def page(name: str, text: str = "Text.", title: str = "Port") -> Document:
    return Document(name, title, text)


def titles(documents: list[Document], one: DomainSpec) -> list[str]:
    return [document.title for document in with_audiences(documents, one)]


def test_folders_beside_each_other_name_values_of_an_attribute() -> None:
    one = spec({"version": VERSIONS, "os": SYSTEMS})
    assert titles([page("v1/a.md"), page("v2/a.md")], one) == ["Port (version 1)", "Port (version 2)"]
    assert titles([page("docs/1/a.md"), page("docs/2/b/a.md")], one) == ["Port (version 1)", "Port (version 2)"]
    assert titles([page("windows/a.md"), page("macos/a.md")], one) == ["Port (Windows)", "Port (macOS)"]
    assert titles([page("https://x.org/en/v1/a"), page("https://x.org/en/v2/a")], one) == [
        "Port (version 1)",
        "Port (version 2)",
    ]


def test_a_folder_without_another_value_beside_it_says_nothing() -> None:
    one = spec({"version": VERSIONS, "os": SYSTEMS})
    assert titles([page("windows/a.md"), page("help/a.md")], one) == ["Port", "Port"]
    assert titles([page("v1.md"), page("v2.md")], one) == ["Port", "Port"]


def test_front_matter_names_values_of_an_attribute() -> None:
    one = spec({"version": VERSIONS, "os": SYSTEMS})
    for entry, title in {
        "version: v2": "Port (version 2)",
        "version: 2": "Port (version 2)",
        "os: [windows]": "Port (Windows)",
        "version: 7": "Port",
        "tags: [windows]": "Port",
        "version: *x": "Port",
    }.items():
        assert titles([page("a.md", f"---\n{entry}\n---\nText.")], one) == [title], entry


def test_a_title_that_says_it_is_not_changed() -> None:
    one = spec({"version": VERSIONS})
    documents = [page("v1/a.md", title="Version 1: back up"), page("v2/a.md", title="Port of v1")]
    assert titles(documents, one) == ["Version 1: back up", "Port of v1 (version 2)"]


def test_the_domain_says_where_to_look() -> None:
    documents = [page("v1/a.md", "---\nplatform: [mac, Windows]\nversion: 2\n---\nText.")]
    with_path = spec({"version": VERSIONS}, audience_from={"path": "v{version}/"})
    assert titles(documents, with_path) == ["Port (version 1)"]
    with_entry = spec({"os": SYSTEMS}, audience_from={"front_matter": {"platform": "os"}})
    assert titles(documents, with_entry) == ["Port (Windows, macOS)"]
    assert titles(documents, spec({"version": VERSIONS}, audience_from={})) == ["Port"]
    both = spec({"version": VERSIONS}, audience_from={"path": "v{version}/", "front_matter": {"version": "version"}})
    assert titles(documents, both) == ["Port (version 2)"]


def test_a_proposal_brings_the_attribute_that_it_needs() -> None:
    documents = [page("v1/a.md", "---\nversion: v1\n---\n"), page("v2/a.md", "---\nversion: v2\n---\n")]
    assert proposed_audience(documents, spec({})) == {
        "audience_from": {"path": ["v{version}/"], "front_matter": {"version": "version"}},
        "attributes": {
            "version": {
                "kind": "closed",
                "values": ["version 1", "version 2"],
                "synonyms": {"version 1": ["v1"], "version 2": ["v2"]},
            }
        },
    }
    assert proposed_audience([page("1.0/a.md"), page("2.x/a.md")], spec({"app_version": VERSIONS})) == {
        "audience_from": {"path": ["{app_version}/"]}
    }
    assert proposed_audience([page("windows/a.md"), page("macos/a.md")], spec({"os": SYSTEMS})) == {
        "audience_from": {"path": ["{os}/"]}
    }


def test_nothing_is_proposed_where_nothing_looks_like_it_or_something_is_said() -> None:
    assert proposed_audience([page("v1/a.md"), page("help/a.md")], spec({})) == {}
    documents = [page("v1/a.md"), page("v2/a.md")]
    assert proposed_audience(documents, spec({"version": VERSIONS}, audience_from={"path": "v{version}/"})) == {}

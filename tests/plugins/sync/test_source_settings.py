"""``sources:`` of the settings: what each type takes, and one sentence for what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.core.settings import read_settings
from autokb.core.yaml_text import parse_yaml

GOOD = """
sources:
  manuals: {type: folder, path: ../manuals, every: 30m}
  docs: {type: git, url: git@example.com:acme/docs.git, branch: main, folder: docs}
  site: {type: web, sitemap: https://docs.example.com/sitemap.xml, allow_networks: [10.2.0.0/16]}
  help: {type: zendesk, url: https://acme.zendesk.com/, user: ann@example.com, token_env: ZENDESK_TOKEN}
  tickets: {type: zendesk, url: https://acme.zendesk.com, content: tickets, as: issues, comments: false}
  bugs: {type: jira, url: https://acme.atlassian.net, jql: project = APP, api: 2, check_deleted: 7d}
  code: {type: github, repo: acme/app, prefix: app-}
"""


def test_each_type_is_read_with_what_is_usual() -> None:
    found = read_settings(parse_yaml(GOOD, "settings.yaml")).sources
    assert [one.as_kind for one in found.values()] == [*["documents"] * 4, "issues", "tickets", "tickets"]
    assert [found["manuals"].every, found["site"].every, found["bugs"].check_deleted] == [1800, 3600, 604_800]
    assert found["code"].url == "https://api.github.com" and found["bugs"].api == 2
    assert found["help"].url == "https://acme.zendesk.com" and not found["tickets"].comments
    assert found["site"].allow_networks == ("10.2.0.0/16",)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ([], "write a mapping with a type"),
        ({"type": "ftp"}, "write a mapping with a type"),
        ({"type": "folder"}, "needs path"),
        ({"type": "folder", "path": "x", "url": "y"}, "takes type, every, path"),
        ({"type": "folder", "path": "x", "as": "letters"}, "as must be documents, issues, tickets or chats"),
        ({"type": "folder", "path": "x", "every": "often"}, "every must be a time"),
        ({"type": "folder", "path": "x", "every": "0s"}, "every must be a time"),
        ({"type": "folder", "path": "x", "fields": {"colour": "c"}}, "fields must be a mapping"),
        ({"type": "web"}, "needs urls or a sitemap"),
        ({"type": "web", "urls": ["file:///etc/passwd"]}, "must be an address"),
        ({"type": "web", "urls": ["http://[::1"]}, "must be an address"),
        ({"type": "web", "sitemap": "https://ann:secret@example.com/"}, "token_env"),
        ({"type": "web", "urls": ["https://a.example"], "allow_networks": ["10.2.0.1/8"]}, "must be a network such as"),
        ({"type": "web", "urls": ["https://a.example"] * 50_001}, "can be read; split"),
        ({"type": "git", "url": "ext::sh"}, "url must be"),
        ({"type": "github", "repo": "acme"}, "OWNER/NAME"),
        ({"type": "github", "repo": "acme/app", "as": "documents"}, "as must be tickets or issues"),
        ({"type": "zendesk", "url": "https://a.example", "as": "tickets"}, "articles are documents"),
        ({"type": "zendesk", "url": "https://a.example", "token_env": "s3cret value"}, "environment variable"),
        ({"type": "jira", "url": "https://a.example"}, "needs jql"),
        ({"type": "jira", "url": "https://a.example", "jql": "x", "api": 4}, "api must be 2 or 3"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(source: Any, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason) as raised:
        read_settings({"sources": {"it": source}})
    assert "'it'" in str(raised.value) and "\n" not in str(raised.value)


def test_a_name_is_one_that_can_be_typed() -> None:
    for name in ("a b", "../x", "-x", "", "x" * 65):
        with pytest.raises(BadInputError, match="its name takes"):
            read_settings({"sources": {name: {"type": "folder", "path": "x"}}})
    with pytest.raises(BadInputError, match="must be a mapping"):
        read_settings({"sources": ["x"]})

"""The templates of tickets that ship with the product, one a language."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from autokb.core.domain import ENGLISH, DomainSpec
from autokb.core.ticket_template import TicketTemplate, read_template
from autokb.core.yaml_text import parse_yaml


def ticket_template(spec: DomainSpec) -> TicketTemplate:
    """Return the template of a domain, else the shipped one of its language, else the English one (BadInputError).

    A domain's own sections without links of its own have the kinds of links that are shipped.
    """
    if not spec.tickets.get("sections"):
        return shipped_template(spec.language)
    own = read_template(spec.tickets)
    return own if own.links else replace(own, links=shipped_template(spec.language).links)


@lru_cache(maxsize=4)
def shipped_template(language: str) -> TicketTemplate:
    """Return the shipped template of a language, the English one where there is none."""
    folder = files("autokb.domains.ticket_templates")
    name = f"{language}.yaml" if folder.joinpath(f"{language}.yaml").is_file() else f"{ENGLISH}.yaml"
    return read_template(parse_yaml(folder.joinpath(name).read_text(encoding="utf-8"), name))

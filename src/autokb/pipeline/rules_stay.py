"""Rules do not vanish: a build whose domain lacks a rule of the published one is refused."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from operator import attrgetter

from autokb.core.domain import Rule, read_domain
from autokb.core.errors import BadInputError
from autokb.core.yaml_text import parse_yaml
from autokb.stores.workspace import DOMAIN_FILE, Workspace
from autokb.stores.workspace_file import WorkspaceFile

QUOTED = 60  # characters of a rule's text in a sentence


def check_rules_stay(workspace: Workspace, file: WorkspaceFile) -> None:
    """Refuse a domain that lacks rules of the published one, or their means, and name them (BadInputError)."""
    published = (file.record("setting", "domain") or {}).get("yaml")
    if not isinstance(published, str) or published == workspace.domain_text:
        return
    try:
        rules = read_domain(parse_yaml(published, DOMAIN_FILE)).rules
    except BadInputError:  # nothing that a build published
        return
    if gone := gone_rules(rules, workspace.spec.rules):
        raise BadInputError(
            f"{DOMAIN_FILE} lacks rules of the published knowledge base: {'; '.join(gone)}. Put them back, or let them "
            f"go, so that no solution is checked for them: autokb build {shlex.quote(str(workspace.folder))} --yes"
        )


def _partners(before: Sequence[Rule], now: Sequence[Rule]) -> dict[str, Rule]:
    """Return what each rule is now, by the ids until now."""
    left = list(now)
    partners: dict[str, Rule] = {}
    for field in (attrgetter("text"), attrgetter("id")):
        for rule in before:
            partner = next((other for other in left if field(other) == field(rule)), None)
            if partner is not None and rule.id not in partners:
                left.remove(partner)
                partners[rule.id] = partner
    return partners


def gone_rules(before: Sequence[Rule], now: Sequence[Rule]) -> list[str]:
    """Return the rules that are gone, or have neither phrases nor patterns any more, as a person reads them.

    A rule whose text or id alone was changed is still there. Texts go first, for the ids of rules that name none are
    their positions.
    """
    partners = _partners(before, now)
    gone = []
    for rule in before:
        if (partner := partners.get(rule.id)) is None:
            gone.append(f"{rule.id} ({_shortened(rule.text)})")
        elif rule.is_checked_offline and not partner.is_checked_offline:
            gone.append(f"the {_means(rule)} of {rule.id} ({_shortened(rule.text)})")
    return gone


def _means(rule: Rule) -> str:
    return " and ".join(name for name in ("forbid", "patterns") if getattr(rule, name))


def _shortened(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 3].rstrip()}..."

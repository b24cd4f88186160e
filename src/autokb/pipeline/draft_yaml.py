"""A draft as YAML: everything that ``domain.yaml`` has, what is proposed behind it, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from autokb.core.ids import digest
from autokb.heuristics.spec.proposal import DraftedAttribute, DraftedRule, DraftedSpec

OFFLINE = "offline"
MARK = re.compile(r"\A# Draft ([0-9a-f]{16})\.[^\n]*\n")
WIDTH = 110  # characters of a line
BY_COUNTING = "Counted in issues and documents, without a model: what is common was looked for, nothing was understood."


def draft_data(domain: Mapping[str, Any], draft: DraftedSpec) -> dict[str, Any]:
    """Return the parsed ``domain.yaml`` with the proposed attributes and rules behind its own."""
    attributes = dict(domain.get("attributes") or {}) | {a.name: _attribute(a) for a in draft.attributes}
    own = [
        r if isinstance(r, Mapping) else {"id": f"rule-{n}", "text": r}
        for n, r in enumerate(domain.get("rules") or (), 1)
    ]
    rules = [*own, *(_rule(rule) for rule in draft.rules)]
    return {**domain, "attributes": attributes, "rules": rules}


def _attribute(drafted: DraftedAttribute) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": drafted.kind}
    if drafted.values:
        entry["values"] = list(drafted.values)
    if drafted.examples:
        entry["examples"] = list(drafted.examples)
    if drafted.synonyms:
        entry["synonyms"] = {s.value: list(s.words) for s in drafted.synonyms}
    return entry


def _rule(drafted: DraftedRule) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": drafted.id, "text": drafted.text}
    return {**entry, "patterns": list(drafted.patterns)} if drafted.patterns else entry


def draft_text(data: Mapping[str, Any], draft: DraftedSpec, model: str) -> str:
    """Return the draft's YAML: each proposal has its reason as a comment above it."""
    parts = []
    for name, value in data.items():
        if name == "attributes" and value:
            why = {a.name: a.why for a in draft.attributes}
            parts.append("attributes:\n" + "".join(entry_text({n: a}, why.get(n)) for n, a in value.items()))
        elif name == "rules" and value:
            reasons = {rule.id: rule.why for rule in draft.rules}
            parts.append("rules:\n" + "".join(entry_text([r], reasons.get(_id_of(r))) for r in value))
        else:
            parts.append(yaml_text({name: value}))
    return marked_text(_head(model) + "".join(parts))


def marked_text(body: str) -> str:
    """Return a draft with the line in front that tells whether somebody edited it."""
    return f"# Draft {_mark(body)}. Edit it, then save it as domain.yaml; this line tells whether somebody did.\n{body}"


def is_unchanged(text: str) -> bool:
    """Return whether a draft is as it was written."""
    found = MARK.match(text)
    return found is not None and found[1] == _mark(text[found.end() :])


def _mark(body: str) -> str:
    return digest("draft", body)[:16]


def _head(model: str) -> str:
    return head_of(BY_COUNTING if model == OFFLINE else f"Proposed by {model}; read every line before you use it.")


def head_of(words: str) -> str:
    """Return what a draft says of itself, as comment lines."""
    return _comment(words, "")


def _id_of(rule: Any) -> str:
    return str(rule.get("id")) if isinstance(rule, Mapping) else ""


def entry_text(entry: Mapping[str, Any] | Sequence[Any], why: str | None) -> str:
    """Return an entry of a list or mapping, indented, its reason as a comment above it."""
    indented = "".join(f"  {line}\n" for line in yaml_text(entry).rstrip("\n").split("\n"))
    return (_comment(why, "  ") if why else "") + indented


def _comment(text: str, indent: str) -> str:
    """Return words as comment lines; nothing in them can end the comment."""
    import textwrap

    words = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"{indent}# {line}\n" for line in textwrap.wrap(words, WIDTH - len(indent)))


def yaml_text(data: Any) -> str:
    """Return data as YAML, lists of words in one line."""
    import yaml

    class Flat(yaml.SafeDumper):
        """Writes lists of words in one line, as people do."""

    Flat.add_representer(
        list,
        lambda dumper, found: dumper.represent_sequence(
            "tag:yaml.org,2002:seq", found, flow_style=all(not isinstance(one, Mapping | list) for one in found)
        ),
    )
    return yaml.dump(data, Dumper=Flat, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False)

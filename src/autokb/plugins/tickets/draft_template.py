"""A template of tickets' sections, proposed from a sample of them, beside ``domain.yaml`` for a person to edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ids import digest
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.spending import Tokens
from autokb.core.ticket_template import SectionRule, TicketTemplate
from autokb.core.tickets import TICKET
from autokb.core.yaml_text import parse_yaml
from autokb.domains.ticket_templates import ticket_template
from autokb.pipeline.draft_spec import write_draft
from autokb.pipeline.draft_yaml import entry_text, head_of, marked_text, yaml_text
from autokb.pipeline.model_choice import OFFLINE
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import open_stages
from autokb.plugins.tickets.heuristics.template_draft import DraftedSection, DraftedTemplate, count_template
from autokb.plugins.tickets.tasks.draft_template.task import TASK
from autokb.stores.ticket_tables import staged_tickets
from autokb.stores.workspace import DOMAIN_FILE, Workspace
from autokb.text.ticket_parts import told_ticket

STAGE = "draft"
SAMPLE = 2_000  # tickets that are counted
BY_COUNTING = "Counted in tickets, without a model: headings and fields that are common; nothing was understood."


@dataclass(frozen=True, slots=True)
class TemplateDraft(Result):
    """A draft of a template, the file that it was written to, and what it cost."""

    file: str
    yaml: str
    sections: tuple[Mapping[str, Any], ...]
    made_by: str
    model: str
    sample: int
    left_out: tuple[str, ...]
    calls: int
    cached: int
    tokens: Tokens
    cost: float | None


def draft_ticket_template(
    workspace: Workspace, *, options: ModelOptions | None = None, progress: Progress = silent
) -> TemplateDraft:
    """Draft sections and write them; ``domain.yaml`` and drafts that a person edited stay as they are."""
    with workspace.file() as file, open_stages(workspace, file, progress, options) as stages:
        tickets = list(map(told_ticket, staged_tickets(file)))
        if not tickets:
            raise BadInputError(
                f"There is nothing to draft from; add tickets first: autokb add {workspace.folder} FILE --as tickets"
            )
        sample = sorted(tickets, key=lambda ticket: digest(STAGE, ticket.id))[:SAMPLE]
        template = ticket_template(workspace.spec)
        model = stages.model(TASK, STAGE)
        (drafted,) = stages.run(STAGE, TASK, [count_template(sample, template)], [workspace.spec.name])
        if drafted is None:
            reason = "; ".join(failure.reason for failure in stages.log.failures) or "the reply is awaited."
            raise AutokbError(f"No draft was made: {reason}")
        domain = parse_yaml(workspace.domain_text, DOMAIN_FILE) or {}
        text = _draft_text(domain, template, drafted, model)
        path = write_draft(workspace, text)
        return TemplateDraft(
            file=str(path),
            yaml=text,
            sections=tuple(section.model_dump(mode="json") for section in drafted.sections),
            made_by="counting headings" if model == OFFLINE else "model",
            model=model,
            sample=len(sample),
            left_out=tuple(failure.reason for failure in stages.log.left_out),
            **stages.spending().by_name(),
        )


def _draft_text(domain: Mapping[str, Any], template: TicketTemplate, drafted: DraftedTemplate, model: str) -> str:
    """Return the domain with a template: the sections of today, and those that are proposed, each with its reason."""
    rules = {rule.name: rule for rule in template.sections}
    for section in drafted.sections:
        rules[section.name] = _proposed(section, rules.get(section.name))
    why = {section.name: section.why for section in drafted.sections}
    head = head_of(BY_COUNTING if model == OFFLINE else f"Proposed by {model}; read every line before you use it.")
    body = head + "".join(yaml_text({name: value}) for name, value in domain.items() if name != "tickets")
    links = [
        {"name": r.name, "types": list(r.types), "cues": list(r.cues), "direction": r.direction} for r in template.links
    ]
    body += "tickets:\n  sections:\n"
    body += "".join(entry_text([_entry(rule)], why.get(name)) for name, rule in rules.items())
    body += "  links:\n" + "".join(entry_text([entry], None) for entry in links) if links else ""
    return marked_text(body)


def _proposed(section: DraftedSection, known: SectionRule | None) -> SectionRule:
    """Return a section as it is proposed; one that is known gets further headings and fields."""
    if known is not None:
        fields, headings = (*known.fields, *section.fields), (*known.headings, *section.headings)
        return replace(known, fields=fields, headings=headings)
    return SectionRule(
        name=section.name,
        relation=f"HAS_{section.name.upper()}",
        parent=section.parent,
        fields=section.fields,
        headings=section.headings,
        cues=section.headings or (section.name.replace("_", " "),),
        embedded=section.embedded,
    )


def _entry(rule: SectionRule) -> dict[str, Any]:
    """Return a section as ``domain.yaml`` has it, without what goes without saying."""
    entry: dict[str, Any] = {"name": rule.name}
    if rule.relation != f"HAS_{rule.name.upper()}":
        entry["relation"] = rule.relation
    if rule.parent != TICKET:
        entry["parent"] = rule.parent
    lists = {"fields": rule.fields, "headings": rule.headings, "blocks": rule.blocks, "cues": rule.cues}
    entry |= {name: list(dict.fromkeys(words)) for name, words in lists.items() if words}
    return entry if rule.embedded else {**entry, "embedded": False}

"""The methods that ``SupportKB`` had before it had namespaces; they go with the next version."""

from __future__ import annotations

import warnings
from operator import attrgetter

OLD_NAMES = {
    "accept_ticket": "tickets.accept",
    "annotate": "evaluate.annotate",
    "approve": "curation.approve",
    "ask_tickets": "tickets.ask",
    "browse_similar": "tickets.browse_similar",
    "browse_ticket": "tickets.browse",
    "build_tickets": "tickets.build",
    "calibrate_gate": "evaluate.calibrate_gate",
    "changes": "views.changes",
    "create_key": "keys.create",
    "dismiss_edit": "curation.dismiss_edit",
    "dismiss_gap": "usage.dismiss_gap",
    "document": "views.document",
    "documents": "views.documents",
    "draft_cases": "evaluate.draft_cases",
    "draft_template": "tickets.draft_template",
    "edit": "curation.edit",
    "evaluate_quality": "evaluate.quality",
    "evaluate_retrieval": "evaluate.retrieval",
    "evaluate_suggestions": "evaluate.suggestions",
    "evaluate_tickets": "evaluate.tickets",
    "evaluate_variations": "evaluate.variations",
    "feed_feedback": "usage.ingest_feedback",
    "feed_tickets": "tickets.ingest",
    "feedback": "usage.feedback",
    "find_documents": "views.find_documents",
    "find_key": "keys.find",
    "find_tickets": "tickets.search",
    "forget_questions": "usage.forget_questions",
    "gaps": "usage.gaps",
    "give_feedback": "usage.give_feedback",
    "hide": "curation.hide",
    "history": "curation.history",
    "import_outcomes": "usage.import_outcomes",
    "in_use": "usage.in_use",
    "issues": "views.issues",
    "knowledge": "views.overview",
    "known_issue": "views.known_issue",
    "known_solution": "views.known_solution",
    "load_knowledge": "views.load",
    "needs_key": "keys.are_needed",
    "reject": "curation.reject",
    "report_outcome": "usage.report_outcome",
    "report_tickets": "tickets.report",
    "reset_gate": "evaluate.reset_gate",
    "review": "curation.review",
    "revoke_key": "keys.revoke",
    "search_knowledge": "views.search",
    "sheet_item": "evaluate.sheet_item",
    "show": "views.show",
    "show_issue": "views.show_issue",
    "show_ticket": "tickets.show",
    "show_tickets": "tickets.overview",
    "similar_tickets": "tickets.similar",
    "solution": "views.solution",
    "solutions": "views.solutions",
    "trees": "views.trees",
    "undo": "curation.undo",
    "undo_feedback": "usage.undo_feedback",
    "view_document": "views.view_document",
    "write": "curation.write",
}


def renamed(kb: object, name: str) -> object:
    """Return what a method of the version before is now (AttributeError where it never was one)."""
    if name not in OLD_NAMES:
        raise AttributeError(f"{type(kb).__name__!r} object has no attribute {name!r}")
    warnings.warn(f"SupportKB.{name} is SupportKB.{OLD_NAMES[name]} now", DeprecationWarning, stacklevel=3)
    return attrgetter(OLD_NAMES[name])(kb)

"""What this plug-in brings to autokb. Nothing else is imported here: this is read whenever plug-ins are looked up."""

from autokb.plugin import Command, Page, Plugin, Route, Tool

plugin = Plugin(
    "notes",
    summary="Notes of a team: a file format, a source, pins that count when questions are ranked.",
    settings="autokb_plugin_notes.settings:NotesSettings",
    namespace="autokb_plugin_notes.pins:Pins",
    commands=(Command("notes", "autokb_plugin_notes.commands:notes", "Pin documents, and list what is pinned."),),
    routes=(
        Route("/v1/notes", "autokb_plugin_notes.web:list_pins", "reader"),
        Route("/v1/notes", "autokb_plugin_notes.web:add_pin", "editor", method="POST"),
    ),
    pages=(Page("/notes", "autokb_plugin_notes.web:page", "reader", menu="Notes", after="/knowledge"),),
    templates="autokb_plugin_notes",
    tables=(
        "CREATE TABLE notes_pin (document TEXT PRIMARY KEY, author TEXT NOT NULL)",
        "ALTER TABLE notes_pin ADD COLUMN reason TEXT; CREATE INDEX notes_pin_author ON notes_pin (author)",
    ),
    tools=(
        Tool(
            "notes_pinned",
            "autokb_plugin_notes.web:pinned_tool",
            "autokb_plugin_notes.web:PinnedArguments",
            "List the documents that the team pinned, with the reason of each.",
        ),
    ),
    doctor="autokb_plugin_notes.pins:examine",
    digest={"What was pinned": "autokb_plugin_notes.pins:digest"},
    formats={".note": "autokb_plugin_notes.formats:read_note"},
    sources={"vault": "autokb_plugin_notes.vault:read_vault"},
    studies={"first": "autokb_plugin_notes.pins:study"},
    features={"pinned": "autokb_plugin_notes.pins:pinned"},
)

"""Helpdesks: a customer's message comes in, the suggestion goes back as a note, the agent's reply is feedback."""

from autokb.plugin import SIGNED, Counter, Plugin, Route

MESSAGES = "autokb_helpdesk_messages"
plugin = Plugin(
    "helpdesks",
    summary="Suggestions as notes in Chatwoot, Zendesk and Intercom.",
    settings="autokb.plugins.helpdesks.settings:HelpdesksSection",
    section="helpdesks",
    namespace="autokb.plugins.helpdesks.namespace:HelpdesksNamespace",
    routes=(Route("/v1/hooks/{helpdesk}", "autokb.plugins.helpdesks.hooks:take", SIGNED, "POST"),),
    workers="autokb.plugins.helpdesks.note_threads:NoteThreads",
    counters=(
        Counter(
            MESSAGES,
            "Messages of helpdesks by what was done: taken, known, noted, replied, silent, compared, failed, ...",
            ("helpdesk", "done"),
        ),
    ),
    findings="autokb.plugins.helpdesks.health:find_faults",
    helpdesks={
        "chatwoot": "autokb.plugins.helpdesks.chatwoot:Chatwoot",
        "zendesk": "autokb.plugins.helpdesks.zendesk:Zendesk",
        "intercom": "autokb.plugins.helpdesks.intercom:Intercom",
    },
    built_in=True,
)

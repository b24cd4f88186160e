"""Folders, repositories, web sites and trackers, with which a workspace is kept in step."""

from autokb.plugin import Command, Plugin

plugin = Plugin(
    "sync",
    summary="A workspace in step with folders, repositories, web sites and trackers.",
    settings="autokb.plugins.sync.settings:SourcesSection",
    section="sources",
    namespace="autokb.plugins.sync.namespace:SyncNamespace",
    commands=(
        Command(
            "sync",
            "autokb.plugins.sync.commands:sync",
            "Read what is new, changed or gone in the sources of settings.yaml; one that fails stops no other.\n\n"
            "Exit status 1 where a source failed, or the gate refused the build.",
            example="autokb sync kb --build  and, as a service,  autokb sync kb --watch --build",
        ),
    ),
    sources={
        "web": "autokb.plugins.sync.feeds.web:read_web",
        "zendesk": "autokb.plugins.sync.feeds.zendesk:read_zendesk",
        "jira": "autokb.plugins.sync.feeds.jira:read_jira",
        "github": "autokb.plugins.sync.feeds.github:read_github",
    },
    built_in=True,
)

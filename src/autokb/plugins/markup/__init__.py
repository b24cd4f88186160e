"""Texts in reStructuredText and AsciiDoc, and pages of Confluence."""

from autokb.plugin import Plugin

_CODE = "autokb.plugins.markup"
plugin = Plugin(
    "markup",
    summary="Texts in reStructuredText and AsciiDoc, and pages of Confluence.",
    formats={".rst": f"{_CODE}.restructured:read_rst", ".rest": f"{_CODE}.restructured:read_rst"},
    built_in=True,
)

"""Texts in reStructuredText and AsciiDoc, and pages of Confluence."""

from autokb.plugin import Plugin

_CODE = "autokb.plugins.markup"
plugin = Plugin(
    "markup",
    summary="Texts in reStructuredText and AsciiDoc, and pages of Confluence.",
    formats={
        **dict.fromkeys((".rst", ".rest"), f"{_CODE}.restructured:read_rst"),
        ".xml": f"{_CODE}.confluence:read_storage",
        **dict.fromkeys((".adoc", ".asciidoc", ".asc"), f"{_CODE}.asciidoc:read_adoc"),
    },
    includes={
        **dict.fromkeys((".rst", ".rest"), f"{_CODE}.included:with_rst"),
        **dict.fromkeys((".adoc", ".asciidoc", ".asc"), f"{_CODE}.included:with_adoc"),
    },
    records={".zip": f"{_CODE}.confluence:read_space"},
    built_in=True,
)

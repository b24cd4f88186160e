"""Spreadsheets, slides, texts of other office programs, and e-books."""

from autokb.plugin import Plugin

_CODE = "autokb.plugins.office"
_TABLES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
plugin = Plugin(
    "office",
    summary="Spreadsheets, slides, texts of other office programs, and e-books.",
    formats={
        **dict.fromkeys(_TABLES, f"{_CODE}.spreadsheets:read_spreadsheet"),
        ".pptx": f"{_CODE}.slides:read_slides",
        ".odt": f"{_CODE}.odt:read_odt",
        ".rtf": f"{_CODE}.rtf:read_rtf",
        ".epub": f"{_CODE}.epub:read_epub",
    },
    records=dict.fromkeys(_TABLES, f"{_CODE}.spreadsheets:read_rows"),
    built_in=True,
)

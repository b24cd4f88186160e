"""Mails, mailboxes, and conversations that chat programs and meetings save as text."""

from autokb.plugin import Plugin

_MAILS = "autokb.plugins.mail.mails"
_TRANSCRIPTS = "autokb.plugins.mail.transcripts"
plugin = Plugin(
    "mail",
    summary="Mails, mailboxes, and conversations that chat programs and meetings save as text.",
    formats={
        ".eml": f"{_MAILS}:read_eml",
        ".msg": f"{_MAILS}:read_msg",
        ".vtt": f"{_TRANSCRIPTS}:read_vtt",
    },
    records={
        ".eml": f"{_MAILS}:eml_records",
        ".msg": f"{_MAILS}:msg_records",
        ".mbox": f"{_MAILS}:mbox_records",
        ".vtt": f"{_TRANSCRIPTS}:vtt_records",
        ".txt": f"{_TRANSCRIPTS}:chat_records",
        ".text": f"{_TRANSCRIPTS}:chat_records",
    },
    built_in=True,
)

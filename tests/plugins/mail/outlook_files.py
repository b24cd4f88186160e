"""Mails as Outlook saves them: a compound file whose streams are the properties of the mail."""

from __future__ import annotations

import struct

SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_TEXT, _BINARY = "001F", "0102"
_NOTHING = 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_SMALL = 4096  # bytes from which on a stream has sectors of its own; all of ours are filled up to it


def message(
    subject: str = "", body: str = "", sender: tuple[str, str] = ("", ""), attachment: str = "", headers: str = ""
) -> bytes:
    """Return the bytes of a .msg file."""
    texts = {
        "001A": "IPM.Note", "0037": subject, "1000": body, "0C1A": sender[0], "0C1F": sender[1], "5D01": sender[1],
        "007D": headers,
    }  # fmt: skip
    count = int(bool(attachment))
    root = _properties({k: v for k, v in texts.items() if v}, struct.pack("<8xIIII8x", 0, count, 0, count))
    tree: dict[str, object] = dict(root)
    if attachment:
        tree["__attach_version1.0_#00000000"] = _properties({"3707": attachment, "3704": attachment}, b"\0" * 8)
    return _compound(tree)


def _properties(texts: dict[str, str], header: bytes) -> dict[str, object]:
    """Return the streams of properties that are texts, and the one that lists them."""
    listed = header
    streams: dict[str, object] = {}
    for tag, text in texts.items():
        data = text.encode("utf-16-le")
        listed += struct.pack("<HHIII", int(_TEXT, 16), int(tag, 16), 6, len(data) + 2, 0)
        streams[f"__substg1.0_{tag}{_TEXT}"] = data
    return {"__properties_version1.0": listed, **streams}


def _compound(tree: dict[str, object]) -> bytes:
    """Return a compound file; streams lie one behind another in a stream of small sectors."""
    entries: list[list[object]] = [["Root Entry", _ROOT, _NOTHING, _NOTHING, _NOTHING, 0, 0]]
    small: list[bytes] = []

    def add(parent: int, inside: dict[str, object]) -> None:
        before = -1
        for name, value in sorted(inside.items(), key=lambda one: (len(one[0]), one[0].upper())):
            number = len(entries)
            if isinstance(value, dict):
                entries.append([name, _STORAGE, _NOTHING, _NOTHING, _NOTHING, 0, 0])
            else:
                assert isinstance(value, bytes) and len(value) < _SMALL
                start = sum(map(len, small)) // 64 if value else _END
                small.append(value + b"\0" * (-len(value) % 64))
                entries.append([name, _STREAM, _NOTHING, _NOTHING, _NOTHING, start, len(value)])
            if before < 0:
                entries[parent][4] = number
            else:
                entries[before][3] = number  # its right neighbour: a tree that is a list
            before = number
            if isinstance(value, dict):
                add(number, value)

    add(0, tree)
    chains: list[int] = []
    for stream in small:
        first, sectors = len(chains), len(stream) // 64
        chains += [first + n + 1 for n in range(sectors - 1)] + [_END] * (sectors > 0)
    mini = b"".join(small)
    entries[0][6] = len(mini)
    directory = b"".join(_entry(*one) for one in entries)
    parts = [directory, struct.pack(f"<{len(chains)}I", *chains), mini]
    sizes = [max(1, -(-len(part) // SECTOR)) for part in parts]
    starts = [1, 1 + sizes[0], 1 + sizes[0] + sizes[1]]
    entries[0][5] = starts[2]
    parts[0] = b"".join(_entry(*one) for one in entries)
    table = [_FAT]
    for start, size in zip(starts, sizes, strict=True):
        table += [start + n + 1 for n in range(size - 1)] + [_END]
    assert len(table) <= SECTOR // 4
    table += [_FREE] * (SECTOR // 4 - len(table))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, starts[0], 0,
        _SMALL, starts[1], sizes[1], _END, 0, 0,
    )  # fmt: skip
    header += struct.pack("<I", _FREE) * ((SECTOR - len(header)) // 4)
    filled = [
        part + (b"\xff" if n == 1 else b"\0") * (size * SECTOR - len(part))
        for n, (part, size) in enumerate(zip(parts, sizes, strict=True))
    ]
    return header[:SECTOR] + struct.pack(f"<{SECTOR // 4}I", *table) + b"".join(filled)


def _entry(
    name: object, kind: object, left: object, right: object, child: object, start: object, size: object
) -> bytes:
    text = f"{name}\0".encode("utf-16-le")
    return struct.pack("<64sHBBIII16x4x8x8xIQ", text, len(text), kind, 1, left, right, child, start, size)

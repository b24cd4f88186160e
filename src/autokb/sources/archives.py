"""Files that are archives of parts, as DOCX is: opened only where they unpack to no more than people write."""

from __future__ import annotations

import io
import posixpath
import zipfile
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.sources.decoding import MAX_FILE_BYTES, MAX_FILE_MEGABYTES

# Both encrypted and old office files are OLE compound files.
OLE_SIGNATURE = b"\xd0\xcf\x11\xe0"
# A part of so many bytes that packs to less than a hundredth repeats itself as no person writes (real ones pack to a
# tenth or a thirtieth); it would take half a minute to read.
_LARGE_PART_BYTES = 5_000_000
_MOST_PACKED = 100
# More parts than a document needs; each costs time, however small.
_MAX_PARTS = 10_000
_SWOLLEN = "is nested too deeply or unpacks to too much; save it anew."
_ENCRYPTED = 1  # the bit of a part's flags


class Archive:
    """The parts of a file of a format; UnreadableFileError for an encrypted, foreign, torn or swollen one."""

    # Complex: each way in which an archive can be bad has its own sentence.
    def __init__(self, data: bytes, name: str, *, old: str, needed: str = "", foreign: str = "") -> None:
        """Take the file, what its format is called, that of files before it, and a part that all have."""
        self._name = name
        if data.startswith(OLE_SIGNATURE):
            raise UnreadableFileError(f"is encrypted or {old}; save it as {name} without a password.")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError) as error:
            raise self._torn() from error
        infos = self._archive.infolist()
        if len(infos) > _MAX_PARTS or sum(info.file_size for info in infos) > MAX_FILE_BYTES:
            raise UnreadableFileError(
                f"unpacks to more than {MAX_FILE_MEGABYTES} MB; take out its pictures or split it."
            )
        if any(i.file_size > max(_LARGE_PART_BYTES, i.compress_size * _MOST_PACKED) for i in infos):
            raise UnreadableFileError(_SWOLLEN)
        if any(info.flag_bits & _ENCRYPTED for info in infos):
            raise UnreadableFileError(f"is encrypted; save it as {name} without a password.")
        self.names = [info.filename for info in infos if not info.is_dir()]
        if needed and needed not in self.names:
            raise UnreadableFileError(f"is no {foreign or f'{name} file'}; save it as {name}.")

    def read(self, name: str) -> bytes:
        """Return a part."""
        try:
            return self._archive.read(name)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, KeyError) as error:
            raise self._torn() from error

    def xml(self, name: str) -> Any:
        """Return the tree of a part of XML, in which no entity is resolved and no other file is read."""
        return safe_xml(self.read(name), self._name)

    def relations(self, name: str) -> dict[str, str]:
        """Return what a part names by ids, as Office files have it: other parts, and addresses as they are."""
        folder, _, file = name.rpartition("/")
        rels = f"{folder}/_rels/{file}.rels".lstrip("/")
        found: dict[str, str] = {}
        for one in self.xml(rels) if rels in self.names else ():
            target = one.get("Target") or ""
            if one.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[one.get("Id") or ""] = target
        return found

    def count(self, *starts: str) -> int:
        """Return how many parts have names that begin with one of these."""
        return sum(name.startswith(starts) for name in self.names)

    def _torn(self) -> UnreadableFileError:
        return UnreadableFileError(f"is no whole {self._name} file; open it and save it anew.")


def safe_xml(data: bytes, name: str, *, recover: bool = False) -> Any:
    """Return the tree of XML of a format, in which no entity is resolved and no other file is read."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=recover, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFileError(f"is no whole {name} file; open it and save it anew.") from error
    if root is None:
        raise UnreadableFileError(f"is no whole {name} file; open it and save it anew.")
    return root


def xml_attribute(element: Any, name: str) -> str:
    """Return an attribute of an element, whatever its namespace; nothing where it has none."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")

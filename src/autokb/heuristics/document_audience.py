"""For whom a document is that only its folder or its front matter says: named behind its title, as others name it.

From its title it is then read everywhere: as the audience of its sections, in search and by people.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from autokb.core.attributes import Values, plain_name
from autokb.core.domain import PLACE_OF_VALUE, AudienceFrom, DomainSpec
from autokb.core.nouns import Document
from autokb.text.front_matter import front_matter
from autokb.text.lexicon import lexicon, text_attributes

_NUMBER = re.compile(r"v?\d{1,4}(?:\.(?:\d{1,4}|x)){0,3}", re.IGNORECASE)
_VERSION = "version"  # of a front matter, and of an attribute that is proposed


def with_audiences(documents: Sequence[Document], spec: DomainSpec) -> list[Document]:
    """Return the documents, each with the values behind its title that its path and its front matter name.

    Where the domain does not say where to look: entries with the name of an attribute, and folders that are named as
    its values where one beside them is another value.
    """
    rule = spec.audience_from or AudienceFrom(
        _folders_of_values(documents, spec), {name: name for name in spec.attributes}
    )
    return [_with_audience(document, rule, spec) for document in documents]


def _with_audience(document: Document, rule: AudienceFrom, spec: DomainSpec) -> Document:
    named: defaultdict[str, Values] = defaultdict(frozenset)
    for name, value in _entries(document, rule):
        named[name] |= _values(value, name, spec)
    for name, value in _parts_of_path(document, rule):
        named[name] = named[name] or _values(value, name, spec)
    said = text_attributes(document.title, spec)
    new = [value for name, values in named.items() if values != said.get(name) for value in sorted(values)]
    return replace(document, title=f"{document.title} ({', '.join(new)})") if new else document


def _entries(document: Document, rule: AudienceFrom) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a document's front matter names, with the words for their values."""
    entries = front_matter(document.text) if rule.front_matter else {}
    for entry, value in entries.items():
        if name := rule.front_matter.get(entry):
            yield from ((name, str(one)) for one in (value if isinstance(value, list) else [value]))


def _parts_of_path(document: Document, rule: AudienceFrom) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a document's path names, with the words for their values."""
    for path in rule.path:
        pattern = "([^/]+?)".join(re.escape(part) for part in PLACE_OF_VALUE.split(path)[::2])
        for found in re.finditer(f"(?<![^/]){pattern}", document.id):
            yield from zip(PLACE_OF_VALUE.findall(path), found.groups(), strict=True)


def _values(word: str, name: str, spec: DomainSpec) -> Values:
    """Return the values of an attribute that a word means: 2, v2 and 2.0 may be version 2."""
    number = word.removeprefix("v").removeprefix("V")
    for spelling in (word, number, f"v{number}", f"{plain_name(name)} {number}"):
        if found := frozenset(value for one, value in lexicon(spec).values_named(spelling) if one == name):
            return found
    return frozenset()


def _folders(documents: Sequence[Document]) -> Iterator[tuple[str, str]]:
    """Give each folder that documents lie in, by the folder around it and its name."""
    places = {
        one for document in documents for one in PurePosixPath(document.id.partition("://")[2] or document.id).parents
    }
    yield from sorted((str(place.parent), place.name) for place in places if place.name)


def _folders_of_values(documents: Sequence[Document], spec: DomainSpec) -> tuple[str, ...]:
    """Return the patterns of folders beside each other that are named as different values of a closed attribute."""
    found: defaultdict[tuple[str, str], set[Values]] = defaultdict(set)
    for around, folder in _folders(documents):
        for name, attribute in spec.attributes.items():
            if attribute.kind == "closed" and (values := _values(folder, name, spec)):
                found[around, name].add(values)
    return tuple(dict.fromkeys(f"{{{name}}}/" for (_, name), values in found.items() if len(values) > 1))


# Complex: what is proposed depends on which of folders, entries and attributes there are.
def proposed_audience(documents: Sequence[Document], spec: DomainSpec) -> dict[str, Any]:
    """Return what ``domain.yaml`` could say of folders and front matter that name versions or values; empty for none.

    With an attribute for versions where it has none. Nothing is proposed where it says something already.
    """
    if spec.audience_from is not None:
        return {}
    versions = _folders_of_versions(documents)
    name = next((one for one in spec.attributes if _VERSION in one.casefold()), _VERSION)
    others = (one for one in _folders_of_values(documents, spec) if one != f"{{{name}}}/")
    path = [*_path_of_versions(versions, name), *others]
    known = dict(zip(spec.attributes, spec.attributes, strict=True)) | ({_VERSION: name} if versions else {})
    entries = {entry: known[entry] for entry in _distinguishing_entries(documents) if entry in known}
    said = {where: what for where, what in {"path": path, "front_matter": entries}.items() if what}
    attributes = {name: _attribute_of_versions(versions, name)} if versions and name not in spec.attributes else {}
    found = {"audience_from": said, "attributes": attributes}
    return {entry: what for entry, what in found.items() if what}


def _attribute_of_versions(folders: Sequence[str], name: str) -> dict[str, Any]:
    synonyms = {f"{name} {one.lstrip('vV')}": [one] for one in folders}
    return {"kind": "closed", "values": list(synonyms), "synonyms": synonyms}


def _path_of_versions(folders: Sequence[str], name: str) -> list[str]:
    prefix = "v" if all(one.startswith("v") for one in folders) else ""
    return [f"{prefix}{{{name}}}/"] if folders else []


def _distinguishing_entries(documents: Sequence[Document]) -> list[str]:
    """Return the entries of front matter that have different values in different documents."""
    said = {(entry, str(value)) for one in documents for entry, value in front_matter(one.text).items()}
    return sorted(entry for entry, count in Counter(entry for entry, _ in said).items() if count > 1)


def _folders_of_versions(documents: Sequence[Document]) -> list[str]:
    """Return the names of folders that are numbers of versions and lie beside another such folder."""
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for around, folder in _folders(documents):
        if _NUMBER.fullmatch(folder):
            beside[around].add(folder)
    return sorted(set().union(*(folders for folders in beside.values() if len(folders) > 1)))

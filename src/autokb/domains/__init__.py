"""Complete small domains that ship with the product."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from autokb.core.errors import BadInputError

_DOMAINS = {"headphones": "headphones/domain.yaml", "medical": "medical/domain.yaml", "thunderbird": "thunderbird.yaml"}


def names() -> tuple[str, ...]:
    """Return the names of the shipped domains, sorted."""
    return tuple(sorted(_DOMAINS))


def domain_text(name: str) -> str:
    """Return the ``domain.yaml`` of a shipped domain as text; an unknown name is a BadInputError."""
    return (_root() / _known(name)).read_text(encoding="utf-8")


def examples_folder(name: str) -> Path | None:
    """Return the folder with the domain's ``documents/`` and ``issues/``, or None where it ships none."""
    folder = (_root() / _known(name)).parent
    return folder if folder != _root() else None


def _known(name: str) -> str:
    if name not in _DOMAINS:
        raise BadInputError(f"There is no shipped domain {name!r}; choose one of {', '.join(names())}.")
    return _DOMAINS[name]


def _root() -> Path:
    # Wheels are installed unpacked, so the package's resources are plain files and can be added as a folder.
    return Path(str(files("autokb.domains")))

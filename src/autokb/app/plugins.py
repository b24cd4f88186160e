"""Which plug-ins are installed, what each brings, what of it does not load, and what a workspace lacks."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from autokb.core.errors import AutokbWarning
from autokb.core.plugins import PluginError, Plugins, installed, plugins, use
from autokb.core.results import Result
from autokb.core.settings import missing_plugins
from autokb.plugin import SUFFIXES, Plugin
from autokb.stores.plugin_tables import noted_plugins
from autokb.stores.workspace import Workspace, open_workspace

# Fields that bring nothing by themselves.
_OF_THE_PLUGIN = ("name", "summary", "templates", "section", "attribute", "extra", "built_in")


@dataclass(frozen=True, slots=True)
class ListedPlugin(Result):
    """A plug-in, the package and version it comes with, and by kind the names of what it brings.

    One that is ``built_in`` is part of autokb.
    """

    name: str
    package: str
    version: str
    summary: str
    built_in: bool
    brings: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ListedPlugins(Result):
    """All plug-ins; ``problems`` are sentences on what does not load, ``out_of_reach`` on what a workspace lacks."""

    plugins: tuple[ListedPlugin, ...]
    problems: tuple[str, ...]
    out_of_reach: tuple[str, ...] = ()


def list_plugins(folder: Path | None) -> ListedPlugins:
    """Return what is installed; all code that plug-ins name is imported, so that what fails is named here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AutokbWarning)  # of what is told below
        found = plugins()
        lacks = () if folder is None else tuple(out_of_reach(open_workspace(folder)))
    listed = (
        ListedPlugin(own.name, one.package, one.version, own.summary, own.built_in, _brings(found, own))
        for own, one in zip(found, found.installed.values(), strict=True)
    )
    return ListedPlugins(tuple(listed), (*found.problems, *_broken(found)), lacks)


def out_of_reach(workspace: Workspace) -> Iterator[str]:
    """Say what of a workspace cannot be used because a plug-in is missing."""
    for name in sorted(missing_plugins(workspace.settings)):
        yield f"settings.yaml names the plug-in {name}, which is not installed or does not load; install its package."
    with workspace.file() as file:
        for name in noted_plugins(file):
            try:
                installed(name)
            except PluginError:
                yield f"The tables of the plug-in {name} are kept, and nothing reads them until it is installed again."


def _broken(found: Iterable[Plugin]) -> Iterator[str]:
    for plugin in found:
        for code, what in plugin.code():
            try:
                use(plugin.name, code, what)
            except PluginError as error:
                yield str(error)


def _as_settings_have_them(found: Plugins, plugin: Plugin, kind: str) -> tuple[str, ...]:
    if kind in SUFFIXES:
        return tuple(one for one, owner in getattr(found, kind).items() if owner == plugin.name)
    start = "" if plugin.built_in or kind in ("digest", "includes") else f"{plugin.name}."
    return tuple(f"{start}{one}" for one in getattr(plugin, kind))


def _own_name(plugin: Plugin, kind: str) -> str:
    """Return what the settings, the namespace or the code for ``doctor`` of a plug-in is called."""
    return {"settings": plugin.section, "namespace": plugin.attribute}.get(kind, "") or plugin.name


def _brings(found: Plugins, plugin: Plugin) -> dict[str, tuple[str, ...]]:
    """Return the names of what a plug-in brings, by kind, as settings and commands have them.

    A suffix is named at the plug-in that is asked for its files.
    """
    brings = {}
    for kind in (one.name for one in fields(plugin) if one.name not in _OF_THE_PLUGIN):
        value = getattr(plugin, kind)
        if isinstance(value, Mapping):
            named = _as_settings_have_them(found, plugin, kind)
        elif isinstance(value, str):
            named = (_own_name(plugin, kind),) if value else ()
        else:
            named = tuple(dict.fromkeys(getattr(one, "path", getattr(one, "name", one)) for one in value))
            named = tuple(f"migration {n}" for n, _ in enumerate(named, 1)) if kind == "tables" else named
        if named:
            brings[kind] = named
    return brings

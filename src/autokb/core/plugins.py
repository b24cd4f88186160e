"""Plug-ins, built in or installed: found by their names, each failure named, nothing imported but their declarations.

The folders of installed packages are read here, and not by ``importlib.metadata``, whose import alone takes as long as
a tenth of ``autokb --help`` ([decision 69](../../../docs/decisions/069-plug-ins.md)).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from autokb import __version__
from autokb.core.errors import AutokbError, AutokbWarning

if TYPE_CHECKING:
    from autokb.plugin import Plugin, What

# Our own, each declared in ``autokb.plugins.NAME``.
BUILT_IN = tuple("helpdesks insight lab mail markup mcp office postgres ray sync tickets".split())
PACKAGE, GROUP = "autokb", "autokb.plugins"
ENTRY_POINTS = "*-info/entry_points.txt"  # of a package, below a folder of the path
LONGEST_LINES = 10.0  # seconds that a plug-in may take for its lines of doctor or of the digest
# The attribute that what code names has to have.
_HAS: Mapping[What, str] = {"function or class": "__call__", "pydantic model": "model_validate", "value": "__class__"}
_SHOWN = 300  # characters of what somebody else's code says


class PluginError(AutokbError):
    """Code of a plug-in failed, or is not there; the sentence names the plug-in and its error."""


class NoNamespaceError(PluginError, AttributeError):
    """A knowledge base has no attribute of a name; the plug-in that brings it may not be installed."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A plug-in, and the package and version that brought it."""

    plugin: Plugin
    package: str
    version: str


@dataclass(frozen=True)
class Plugins:
    """All plug-ins by their names; ``problems`` has a sentence for each that is left out, or a part of one."""

    installed: Mapping[str, Installed]
    formats: Mapping[str, str]  # the plug-in that reads files, by their suffix
    records: Mapping[str, str]  # the same for files of several records
    exports: Mapping[str, str]  # the plug-in that writes files, by their suffix
    problems: tuple[str, ...]

    def __iter__(self) -> Iterator[Plugin]:
        return (one.plugin for one in self.installed.values())

    @cached_property
    def signed(self) -> tuple[str, ...]:
        """How the paths begin whose callers show a signature in the place of a key."""
        from autokb.plugin import SIGNED

        return tuple(one.path.partition("{")[0] for plugin in self for one in plugin.routes if one.role == SIGNED)


@cache
def plugins() -> Plugins:
    """Return what is installed; a process looks once, and warns of what cannot be used."""
    found = _read_all()
    for sentence in found.problems:
        warnings.warn(f"{sentence} See: autokb plugins", AutokbWarning, stacklevel=2)
    return found


def implementation(kind: str, name: str) -> Any:
    """Return what a plug-in brings under a name of the settings, ``PLUGIN.NAME`` (PluginError: it is not there)."""
    return use(name.partition(".")[0], code_of(kind, name), "value" if kind == "tasks" else "function or class")


def call_implementation(kind: str, name: str, *given: Any) -> Any:
    """Call what a plug-in brings under a name of the settings; what it raises names it (PluginError)."""
    return call(name.partition(".")[0], code_of(kind, name), *given)


def built_in(kind: str) -> dict[str, tuple[str, str]]:
    """Return what our own plug-ins bring of a kind by how settings spell it: the plug-in's name and the code."""
    return {spelt: (one.name, code) for one in _ours() for spelt, code in getattr(one, kind).items()}


def of_ours(kind: str, spelt: str) -> Any:
    """Return what one of our own plug-ins brings of a kind under a name (PluginError: none that is installed does)."""
    if spelt not in (known := built_in(kind)):
        raise PluginError(f"No plug-in that is installed brings {spelt!r} among its {kind}.")
    return use(*known[spelt])


def model_of_section(section: str) -> Any:
    """Return the model of a section of settings.yaml that one of our own plug-ins reads (PluginError: none does)."""
    for one in _ours():
        if one.section == section:
            return use(one.name, one.settings)
    raise PluginError(f"No plug-in that is installed reads {section}: of settings.yaml.")


def _ours() -> Iterator[Plugin]:
    """Give our own plug-ins; the packages that are installed are not looked at."""
    return (_declared(name, f"{GROUP}.{name}:plugin", PACKAGE) for name in BUILT_IN)


def is_of_plugin(name: str) -> bool:
    """Return whether a name in settings is of the kind ``PLUGIN.NAME``."""
    plugin, dot, rest = name.partition(".")
    return bool(dot) and plugin.isalnum() and plugin.islower() and rest.isidentifier()


def version_of(name: str) -> str:
    """Return the version of the package behind a name of the settings: with another one its results are others."""
    plugin = installed(name.partition(".")[0]).name
    return plugins().installed[plugin].version


def code_of(kind: str, name: str) -> str:
    """Return the code behind a name of the settings (PluginError: no plug-in brings it), without importing it."""
    plugin, _, inside = name.partition(".")
    known: Mapping[str, str] = getattr(installed(plugin), kind)
    if inside not in known:
        raise PluginError(
            f"The plug-in {plugin} has no {inside!r} among its {kind}; it has {', '.join(known) or 'none'}."
        )
    return known[inside]


def installed(name: str) -> Plugin:
    """Return a plug-in by its name (PluginError: it is not installed)."""
    if (one := plugins().installed.get(name)) is None:
        raise PluginError(f"The plug-in {name} is not installed, or does not load; autokb plugins says which are.")
    return one.plugin


def with_namespace(attribute: str) -> Plugin:
    """Return the plug-in that brings a namespace of ``SupportKB`` (NoNamespaceError: none does)."""
    for one in plugins():
        if one.namespace and (one.attribute or one.name) == attribute:
            return one
    raise NoNamespaceError(f"SupportKB has no {attribute!r}, and no plug-in that is installed brings it.")


def use(plugin: str, code: str, what: What = "value") -> Any:
    """Import code of a plug-in (PluginError says what failed, or that it is not ``what`` it has to be)."""
    module, _, name = code.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (Exception, SystemExit) as error:
        raise PluginError(f"The plug-in {plugin} cannot load {code} ({said(error, code)}).") from error
    if not hasattr(found, _HAS[what]):
        raise PluginError(f"The plug-in {plugin}: {code} is not a {what}.")
    return found


def call(plugin: str, code: str, *given: Any) -> Any:
    """Call code of a plug-in; what it raises beside our own errors names it (PluginError)."""
    try:
        return use(plugin, code, "function or class")(*given)
    except AutokbError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"The plug-in {plugin}: {code} failed ({said(error, code)}).") from error


def lines_of(plugin: str, code: str, *given: Any) -> list[str]:
    """Return the lines that code of a plug-in gives; one that hangs is left alone in its thread (PluginError)."""
    from queue import Empty, SimpleQueue
    from threading import Thread

    done: SimpleQueue[list[str] | AutokbError] = SimpleQueue()

    def work() -> None:
        try:
            done.put([str(line) for line in call(plugin, code, *given)])
        except AutokbError as error:
            done.put(error)
        except Exception as error:  # of a generator
            done.put(PluginError(f"The plug-in {plugin}: {code} failed ({said(error, code)})."))

    Thread(target=work, daemon=True).start()
    try:
        found = done.get(timeout=LONGEST_LINES)
    except Empty:
        found = PluginError(f"The plug-in {plugin}: {code} takes more than {LONGEST_LINES:g} seconds.")
    if isinstance(found, AutokbError):
        raise found
    return found


def said(error: BaseException, code: str = "") -> str:
    """Say an error of somebody else's code in one short line, with its place in that code."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:_SHOWN] + place_in(error, code)


def place_in(error: BaseException, code: str) -> str:
    """Return the innermost file and line of a plug-in's package in an error, as ``, notes.py:12``; else nothing."""
    own = _package_of(code)
    frames = [one for one in walk_tb(error.__traceback__) if _package_of(one[0].f_globals.get("__name__", "")) == own]
    return f", {Path(frames[-1][0].f_code.co_filename).name}:{frames[-1][1]}" if own and frames else ""


def at_fault(error: BaseException) -> str:
    """Say an error that nobody expects, where code of a plug-in of somebody else has a part in it; else nothing."""
    named = ((one.name, code) for one in plugins() if not one.built_in for code, _ in one.code())
    found = next(((name, code) for name, code in named if place_in(error, code)), None)
    return f"The plug-in {found[0]} failed ({said(error, found[1])})." if found else ""


def _package_of(code: str) -> str:
    return code.partition(":")[0].partition(".")[0]


def _read_all() -> Plugins:
    found: dict[str, list[Installed]] = {}
    problems = []
    ours = ((name, f"{GROUP}.{name}:plugin", PACKAGE, __version__) for name in BUILT_IN)
    for name, code, package, version in (*ours, *_entry_points()):
        try:
            found.setdefault(name, []).append(Installed(_declared(name, code, package), package, version))
        except PluginError as error:
            problems.append(f"{error} It comes with {package} {version} and is left out.")
    for name, several in found.items():
        if len(several) > 1:
            problems.append(f"{' and '.join(one.package for one in several)} bring a plug-in {name}; none is used.")
    kept = {name: several[0] for name, several in sorted(found.items()) if len(several) == 1}
    formats, read = _by_suffix(kept, "formats", "read")
    records, read_too = _by_suffix(kept, "records", "read")
    exports, written = _by_suffix(kept, "exports", "write")
    problems += [*dict.fromkeys((*read, *read_too)), *written, *_misplaced(kept)]
    return Plugins(kept, formats, records, exports, tuple(problems))


def _declared(name: str, code: str, package: str) -> Plugin:
    from autokb.plugin import Plugin

    plugin = use(name, code)
    if not isinstance(plugin, Plugin) or plugin.name != name:
        raise PluginError(f"The plug-in {name}: {code} is no Plugin of that name.")
    if plugin.built_in and package != PACKAGE:
        raise PluginError(f"The plug-in {name} says that it is built in; only those of autokb are.")
    return plugin


def _by_suffix(kept: Mapping[str, Installed], kind: str, verb: str) -> tuple[dict[str, str], list[str]]:
    """Return the plug-in of each suffix of files, and a sentence for each suffix that several want, or autokb itself.

    One of ours stands back behind that of somebody else.
    """
    wanted: dict[str, list[str]] = {}
    named = ((name, suffix) for name, one in kept.items() for suffix in _asked_for(one.plugin, kind))
    for name, suffix in named:
        wanted.setdefault(suffix, []).append(name)
    wanted = {suffix: _of_others(names, kept) or names for suffix, names in wanted.items()}
    shared = {suffix: " and ".join(names) for suffix, names in wanted.items() if len(names) > 1}
    said = [f"The plug-ins {names} {verb} {suffix} files; none of them does." for suffix, names in shared.items()]
    return {suffix: names[0] for suffix, names in wanted.items() if suffix not in shared}, [
        *said,
        *_refused(kept, kind),
    ]


def _asked_for(plugin: Plugin, kind: str) -> list[str]:
    """Return the suffixes of a plug-in without those whose files autokb reads or writes itself."""
    from autokb.plugin import SUFFIXES

    return [one for one in getattr(plugin, kind) if plugin.built_in or one not in SUFFIXES[kind]]


def _refused(kept: Mapping[str, Installed], kind: str) -> Iterator[str]:
    for name, one in kept.items():
        asked = _asked_for(one.plugin, kind)
        for suffix in (suffix for suffix in getattr(one.plugin, kind) if suffix not in asked):
            yield f"The plug-in {name} has {suffix} among its {kind}; these files are autokb's own, so it is not asked."


def _misplaced(kept: Mapping[str, Installed]) -> Iterator[str]:
    """Say which pages stand behind, or on, a page that is not there."""
    from autokb.plugin import LINKED, MENU

    pages = [(name, page) for name, one in kept.items() for page in one.plugin.pages]
    menu = {"", *MENU, *(page.path for _, page in pages if page.menu)}
    for name, page in (one for one in pages if one[1].after not in menu):
        yield f"The plug-in {name}: {page.path} stands last, for {page.after!r} is no page of the menu."
    for name, page in (one for one in pages if one[1].on not in ("", *LINKED)):
        yield f"The plug-in {name}: nothing leads to {page.path}, for {page.on!r} is none of {', '.join(LINKED)}."


def _of_others(names: list[str], kept: Mapping[str, Installed]) -> list[str]:
    return [name for name in names if not kept[name].plugin.built_in]


def _entry_points() -> Iterator[tuple[str, str, str, str]]:
    """Give name, code, package and version of each entry point; of two of one package the first on the path."""
    seen = set()
    for file in (file for place in dict.fromkeys(sys.path) for file in sorted(Path(place).glob(ENTRY_POINTS))):
        package, _, version = file.parent.stem.partition("-")
        try:
            text = file.read_text("utf-8", "replace")
        except OSError:  # a folder of somebody else's, which no plug-in of ours is in
            continue
        section = text.partition(f"[{GROUP}]\n")[2].partition("\n[")[0]
        if section and package not in seen:
            seen.add(package)
            for name, _, code in (line.partition("=") for line in section.splitlines() if "=" in line):
                yield name.strip(), code.strip(), package.replace("_", "-"), version

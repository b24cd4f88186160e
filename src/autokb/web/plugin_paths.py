"""Routes and pages of plug-ins, each for callers of the role that its plug-in says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.datastructures import Default
from jinja2 import ChoiceLoader, PackageLoader, PrefixLoader

from autokb.core.errors import AutokbWarning
from autokb.core.plugins import plugins, said, use
from autokb.plugin import SIGNED, Page, Plugin, Route
from autokb.web.pages.rendering import LEFT_OUT, TEMPLATES
from autokb.web.problems import RESPONSES
from autokb.web.routes import bearer, needs

OURS = TEMPLATES.loader


def add_paths_of_plugins(app: FastAPI) -> None:
    """Add every path of every plug-in, and the templates of their pages; what fails is left out with a warning."""
    templates = {}
    LEFT_OUT.clear()
    for plugin, one in _paths():
        try:
            if plugin.templates and isinstance(one, Page):
                templates[plugin.name] = PackageLoader(plugin.templates)
            _add(app, plugin.name, one)
        except Exception as error:  # of its imports, or of FastAPI, which cannot take a function
            sentence = f"The plug-in {plugin.name}: {one.path} is left out ({said(error, one.function)})."
            warnings.warn(sentence, AutokbWarning, stacklevel=2)
            LEFT_OUT.add(one.path)
    TEMPLATES.loader = ChoiceLoader([loader for loader in (OURS, PrefixLoader(dict(templates))) if loader])


def _paths() -> Iterator[tuple[Plugin, Route | Page]]:
    for plugin in plugins():
        yield from ((plugin, one) for one in plugin.routes)
        yield from ((plugin, one) for one in plugin.pages)


def _add(app: FastAPI, plugin: str, one: Route | Page) -> None:
    key, role, answer = [] if isinstance(one, Page) else [bearer], one.role, getattr(one, "answer", "")
    app.add_api_route(
        one.path,
        use(plugin, one.function, "function or class"),
        methods=[one.method],
        response_model=use(plugin, answer) if answer else Default(None),
        dependencies=[] if role == SIGNED else [*key, needs(role)],
        responses=RESPONSES,
        include_in_schema=bool(key),
    )

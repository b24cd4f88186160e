"""Routes and pages of plug-ins, each for callers of the role that its plug-in says."""

from __future__ import annotations

import warnings

from fastapi import FastAPI
from fastapi.datastructures import Default
from jinja2 import ChoiceLoader, PackageLoader, PrefixLoader

from autokb.core.errors import AutokbWarning
from autokb.core.plugins import plugins, said, use
from autokb.plugin import SIGNED, Page, Route
from autokb.web.pages.rendering import LEFT_OUT, TEMPLATES
from autokb.web.problems import RESPONSES
from autokb.web.routes import bearer, needs

OURS = TEMPLATES.loader


def add_paths_of_plugins(app: FastAPI) -> None:
    """Add every path of every plug-in, and the templates of their pages; what fails is left out with a warning."""
    templates = {}
    LEFT_OUT.clear()
    for plugin in plugins():
        paths: tuple[Route | Page, ...] = (*plugin.routes, *plugin.pages)
        try:
            if plugin.templates:
                templates[plugin.name] = PackageLoader(plugin.templates)
            for one in paths:
                key, role = [] if isinstance(one, Page) else [bearer], one.role
                answer = getattr(one, "answer", "")
                app.add_api_route(
                    one.path,
                    use(plugin.name, one.function),
                    methods=[one.method],
                    response_model=use(plugin.name, answer) if answer else Default(None),
                    dependencies=[] if role == SIGNED else [*key, needs(role)],
                    responses=RESPONSES,
                    include_in_schema=bool(key),
                )
        except Exception as error:  # of its imports, or of FastAPI, which cannot take a function
            sentence = f"Paths of the plug-in {plugin.name} are left out ({said(error)})."
            warnings.warn(sentence, AutokbWarning, stacklevel=2)
            LEFT_OUT.add(plugin.name)
    TEMPLATES.loader = ChoiceLoader([loader for loader in (OURS, PrefixLoader(dict(templates))) if loader])

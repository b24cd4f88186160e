"""From the list of workspaces into two of them, in a real browser: each answers from its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autokb.app import SupportKB
from autokb.app.workspace_keys import create_shared_key
from autokb.stores.workspace import Workspace
from autokb.web.many import create_many_app
from served_workspace import served_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow  # a browser draws the pages


def test_a_person_goes_from_the_list_into_two_workspaces_and_asks(
    hand_made: Workspace, tmp_path: Path, browser: Browser
) -> None:
    from playwright.sync_api import expect

    from chromium import opened

    folder = tmp_path / "many"
    for name in ("alpha", "beta"):
        shutil.copytree(hand_made.folder, folder / name)
    beta = SupportKB.open(folder / "beta")
    beta.curation.edit("s-contacts", text="Wipe the two contacts of the dock with a dry quokka cloth.", author="ann")
    beta.close()
    key = create_shared_key(folder, ["alpha", "beta"], "agent").key
    with served_app(create_many_app(folder)) as url, opened(browser, url) as (page, _watched):
        page.goto("/")
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        for name, has_quokka in (("alpha", False), ("beta", True), ("alpha", False)):
            page.goto("/")
            page.get_by_role("link", name=name).click()
            expect(page).to_have_url(f"{url}/w/{name}/")
            page.locator("#text").fill("my robot does not charge in the dock")
            page.locator("#say").click()
            expect(page.locator(".use").first).to_be_visible()
            assert ("quokka" in page.locator("main").inner_text()) == has_quokka
            page.get_by_role("link", name="Knowledge", exact=True).click()
            expect(page).to_have_url(f"{url}/w/{name}/knowledge")
        page.get_by_role("button", name="Sign out").click()
        expect(page).to_have_url(f"{url}/w/alpha/login")
        page.goto("/w/beta/knowledge")
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")

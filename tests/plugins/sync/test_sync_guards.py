"""Sources that give something else in place of their pages: the old text stays, and the run says what came instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.app.synced import SyncedSource
from autokb.cli import main
from autokb.plugins.sync.sync import sync
from feed_server import LOOPBACK, Answer, Asked, FeedServer

HTML = {"Content-Type": "text/html; charset=utf-8"}
FACTS = (
    "Hold both keys for ten seconds until the lamp is white.",
    "Pull the tray out and rinse it with warm water every evening.",
    "Fill the tank with descaler and press the steam key for five seconds.",
    "The lid opens when the blue latch is lifted, never by force.",
    "Replace the seal once a year, or as soon as it drips at night.",
    "Grind the beans coarse where the cup tastes bitter and harsh.",
)


def html(title: str, body: str, head: str = "") -> Answer:
    """Return a page of one title, as a browser gets it."""
    return Answer(
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>", 200, HTML
    )


def article(title: str, text: str, head: str = "", around: str = "") -> Answer:
    return html(title, f"{around}<main><h1>{title}</h1><p>{text}</p></main>", head)


class HelpSite:
    """Six pages and a sitemap; ``instead`` are what some answer in place of their texts, ``every`` what all do."""

    def __init__(self) -> None:
        self.pages = {f"/a{n}": article(f"Topic {n}", fact) for n, fact in enumerate(FACTS)}
        self.instead: dict[str, Answer] = {}
        self.every: Callable[[str], Answer] | None = None
        self.listed: list[str] = []  # beside the pages
        self.url = ""

    def __call__(self, asked: Asked) -> Answer:
        path = asked.path + ("?" + "&".join(f"{k}={v}" for k, v in asked.query.items()) if asked.query else "")
        if path == "/robots.txt":
            return Answer("User-agent: *\nDisallow: /closed\n")
        if path == "/sitemap.xml":
            return Answer("\n".join(self.url + path for path in (*self.pages, *self.listed)))
        if path in self.instead:
            return self.instead[path]
        if self.every and path in (*self.pages, *self.listed):
            return self.every(path)
        return self.pages.get(path) or Answer("<h1>Not found</h1>", 404, HTML)


@pytest.fixture
def site() -> Iterator[HelpSite]:
    made = HelpSite()
    with FeedServer(made) as server:
        made.url = server.url
        yield made


def opened(folder: Path, **sources: dict[str, Any]) -> SupportKB:
    if not folder.exists():
        SupportKB.create(folder, "headphones")
    (folder / "settings.yaml").write_text(json.dumps({"sources": sources}), encoding="utf-8")
    return SupportKB.open(folder)


@pytest.fixture
def kb(site: HelpSite, tmp_path: Path) -> SupportKB:
    """Return a workspace in step with the site, which no run has read."""
    web = {"type": "web", "sitemap": f"{site.url}/sitemap.xml", "allow_networks": [LOOPBACK]}
    return opened(tmp_path / "kb", site=web)


def run(kb: SupportKB, *, accept: bool = False) -> SyncedSource:
    return sync(kb.workspace, accept=accept, sleep=lambda _: None).sources["site"]


def texts(kb: SupportKB) -> dict[str, str]:
    with kb.workspace.file() as file:
        return {one.id: str(one.body["text"]) for one in file.staged("documents")}


def counts(one: SyncedSource) -> tuple[int, int, int, int]:
    return one.added, one.updated, one.unchanged, one.removed


def redirect(to: str) -> Answer:
    return Answer(status=302, headers={"Location": to})


PASSWORD = "<form><label>E-mail <input type=email></label><input type=password><button>Continue</button></form>"
MENU = "<div>" + "".join(f"<a href=/{n}>A link of the menu number {n}</a> " for n in range(40)) + "</div>"
LONG_MENU_LOGIN = html("Acme ID", f"{MENU}<h1>Welcome back</h1>{PASSWORD}")
STAND_INS = {
    "redirect to a sign-in page": (redirect("/signin"), "/signin, a sign-in page"),
    "redirect to a page with a form": (redirect("/id"), "/id, a sign-in page"),
    "redirect to another page": (redirect("/news"), "leads to http://127.0.0.1"),
    "form without redirect": (LONG_MENU_LOGIN, "shows a sign-in page"),
    "sign-in by a link alone": (article("Sign in to continue", "Use the account of your company."), "a sign-in page"),
    "sign-in in French": (article("Connexion | Aide", "Veuillez vous identifier."), "a sign-in page"),
    "expired session": (article("Your session has expired", "For your safety we signed you out."), "a sign-in page"),
    "consent": (article("Before you continue", "We use cookies. Accept all or manage your choices."), "consent"),
    "consent in German": (article("Wir verwenden Cookies", "Alle annehmen oder Auswahl treffen."), "consent"),
    "consent by refresh": (html("One moment", "...", "<meta http-equiv=refresh content='0;url=/consent'>"), "/consent"),
    "consent by script": (html("Help", "<script>window.location.href = '/consent?b=1'</script>Loading"), "/consent"),
    "age gate": (article("Confirm your age", "This page is for adults."), "consent"),
    "soft 404": (article("Page not found", "Sorry, the page you are looking for does not exist."), "'not found'"),
    "soft 404 with a number": (article("404 - Acme Help", "There is nothing here."), "'not found'"),
    "soft 404 that is a number": (html("404 | Acme", "<h1>404</h1><a href=/>Home</a>"), "'not found'"),
    "soft 404 in German": (article("Seite nicht gefunden", "Leider gibt es hier nichts."), "'not found'"),
    "soft 404 in Polish": (article("Nie znaleziono strony", "Przepraszamy, ten adres jest pusty."), "'not found'"),
    "soft 404 in Japanese": (article("ページが見つかりません", "お探しのページは移動しました。"), "'not found'"),
    "a server's code": (article("Error 503 - Acme", "The server is busy, try again later."), "cannot be read now"),
    "a server's code alone": (html("503", "<h1>503</h1>"), "cannot be read now"),
    "maintenance": (article("Under maintenance", "The help is back at noon."), "cannot be read now"),
    "maintenance in Spanish": (article("En mantenimiento", "Volvemos a las doce."), "cannot be read now"),
    "check for robots": (html("Just a moment...", "<p>Checking your browser before access.</p>"), "cannot be read now"),
    "parked domain": (article("This domain is for sale", "Make an offer today."), "cannot be read now"),
    "not to be indexed": (article("Hello", "Nothing here.", "<meta name=robots content=noindex>"), "noindex"),
    "status 401": (Answer("Who are you?", 401, HTML), "status 401"),
}


@pytest.mark.parametrize("kind", STAND_INS)
def test_one_page_keeps_its_text_and_where_it_leads_is_said(kind: str, site: HelpSite, kb: SupportKB) -> None:
    site.instead |= {
        "/signin": article("Sign in", "Please sign in with your account to continue."),
        "/id": LONG_MENU_LOGIN,
        "/news": article("News of Acme", "Two new models came out in spring, in red and in black."),
    }
    run(kb)
    before = texts(kb)
    site.instead["/a2"], said = STAND_INS[kind]
    for _ in range(3):
        done = run(kb)
        assert (done.error, counts(done), texts(kb)) == (None, (0, 0, 6, 0), before)
        assert done.kept == 1
        assert [one.path for one in done.skipped] == [f"{site.url}/a2"] and said in done.skipped[0].reason
    del site.instead["/a2"]
    again = run(kb)
    assert (counts(again), again.skipped, again.kept) == ((0, 0, 6, 0), (), 0)


@pytest.mark.parametrize("kind", [kind for kind in STAND_INS if kind.startswith(("soft 404", "a server's"))])
def test_a_new_page_that_is_an_error_of_the_server_is_no_document(kind: str, site: HelpSite, kb: SupportKB) -> None:
    site.pages["/a6"], said = STAND_INS[kind]
    done = run(kb)
    assert (done.error, done.added, [one.path for one in done.skipped]) == (None, 6, [f"{site.url}/a6"])
    assert said in done.skipped[0].reason


WALLS: dict[str, Callable[[str], Answer]] = {
    "redirect": lambda path: redirect(f"/signin?next={path}"),
    "form": lambda path: LONG_MENU_LOGIN,
    "form with the address in it": lambda path: html("Log in", f"<p>To read {path}, log in.</p>{PASSWORD}"),
    "consent": lambda path: article("Before you continue", "We use cookies. Accept all or manage your choices."),
    "unknown language": lambda path: article("Ylläpitokatko", "Palvelu on hetken poissa. Palaamme pian takaisin."),
    "unknown language with the address in it": lambda path: article(
        "Olemme muuttaneet", f"Sivu {path} on nyt uudessa osoitteessa. Kiitos."
    ),
    "home page": lambda path: redirect("/"),
    "home page without redirect": lambda path: article("Acme", "Welcome to the help of Acme! Search, or ask us."),
    "another site": lambda path: redirect("/elsewhere"),
    "status": lambda path: Answer("no", 401, HTML),
    "empty": lambda path: html("", "<script src=/app.js></script><div id=root></div>"),
}


@pytest.mark.parametrize("more", [0, 44])
@pytest.mark.parametrize("kind", WALLS)
def test_a_wall_before_all_pages_changes_nothing_and_adds_nothing(
    kind: str, more: int, site: HelpSite, kb: SupportKB
) -> None:
    site.pages |= {f"/b{n}": article(f"Part {n}", f"{FACTS[n % 6]} See {n}. {FACTS[n % 5]}") for n in range(more)}
    site.instead |= {f"/signin?next=/b{n}": article("Sign in", "Please sign in to go on.") for n in range(more)}
    site.instead |= {f"/signin?next=/a{n}": article("Sign in", "Please sign in to go on.") for n in range(30)}
    site.instead["/"] = article("Acme", "Welcome to the help of Acme! Search, or ask us.")
    site.instead["/elsewhere"] = redirect(f"{site.url.replace('127.0.0.1', 'localhost')}/other")
    site.instead["/other"] = article("Parked", "Buy lamps here, and keys, and trays.")
    site.pages["/"] = site.instead["/"]
    run(kb)
    before, stored = texts(kb), 7 + more
    site.every = WALLS[kind]
    site.listed = [f"/a{n}" for n in range(10, 20)]  # which the site did not have before
    for _ in range(3):
        done = run(kb)
        assert counts(done) == (0, 0, stored, 0) and texts(kb) == before
        assert "--accept" in str(done.error) and f"{stored - 1} of {stored} pages" in str(done.error)
        # New addresses that lead to a page of the site are of its document.
        assert len(done.skipped) == stored - 1 + 10 * (kind != "home page")
    assert "behind a sign-in" in str(done.error) or kind not in ("redirect", "form", "status")
    site.every, site.listed = None, []
    done = run(kb)
    assert (done.error, done.kept, done.skipped, texts(kb)) == (None, 0, (), before)
    site.instead["/"] = article("Acme", "Welcome to the help of Acme! Search, or ask us.</p><p>We are here until six.")
    assert counts(run(kb)) == (0, 1, stored - 1, 0)
    assert all(words in texts(kb)[f"{site.url}/"] for words in ("Welcome to the help", "until six"))


def test_an_expired_session_removes_no_page_that_the_sitemap_lacks(site: HelpSite, kb: SupportKB) -> None:
    run(kb)
    for path in ("/a4", "/a5"):
        del site.pages[path]
    site.every = WALLS["form"]
    for _ in range(3):
        assert counts(run(kb)) == (0, 0, 6, 0)
    site.every = None
    assert counts(run(kb)) == (0, 0, 4, 2)


@pytest.mark.parametrize("kind", ["redirect", "form", "form with the address in it", "status"])
def test_a_site_that_was_always_behind_a_sign_in_says_so_and_gives_nothing(
    kind: str, site: HelpSite, kb: SupportKB
) -> None:
    site.instead |= {f"/signin?next=/a{n}": html("Sign in", PASSWORD) for n in range(6)}
    site.every = WALLS[kind]
    for _ in range(2):
        done = run(kb)
        assert "behind a sign-in" in str(done.error) and not texts(kb) and len(done.skipped) == 6
    site.every = None
    assert (run(kb).error, len(texts(kb))) == (None, 6)


@pytest.mark.parametrize("kind", ["consent", "unknown language", "home page without redirect"])
def test_a_wall_at_the_first_read_gives_nothing(kind: str, site: HelpSite, kb: SupportKB) -> None:
    site.every = WALLS[kind]
    done = run(kb)
    assert "None of its pages is taken" in str(done.error) and not texts(kb) and len(done.skipped) == 6
    site.every = None
    assert (run(kb).error, len(texts(kb))) == (None, 6)


def test_a_page_that_shrinks_to_a_fraction_waits_for_a_person(site: HelpSite, kb: SupportKB) -> None:
    site.pages["/a0"] = article("Topic 0", " ".join(FACTS * 2))
    run(kb)
    before = texts(kb)
    site.pages["/a0"] = article("Topic 0", "Hold both keys.")
    done = run(kb)
    assert texts(kb) == before and "shrank from" in done.skipped[0].reason
    assert counts(run(kb, accept=True)) == (0, 1, 5, 0)
    assert run(kb).kept == 0 and "rinse" not in texts(kb)[f"{site.url}/a0"]


def test_what_a_person_accepts_is_taken(site: HelpSite, kb: SupportKB) -> None:
    run(kb)
    site.every = WALLS["consent"]
    assert run(kb).error
    assert counts(run(kb, accept=True)) == (0, 6, 0, 0)
    assert all("cookies" in text for text in texts(kb).values())


def test_pages_that_become_one_text_keep_theirs(site: HelpSite, kb: SupportKB) -> None:
    run(kb)
    before = texts(kb)
    site.instead["/a1"] = site.instead["/a2"] = article("Tuki", "Sivusto on muuttanut uuteen osoitteeseen.")
    site.instead["/a3"] = site.pages["/a4"]
    done = run(kb)
    assert texts(kb) == before and done.kept == 3
    assert f"the same text as {site.url}/a4" in next(one.reason for one in done.skipped if one.path.endswith("a3"))


def test_rewritten_and_new_short_pages_are_taken(site: HelpSite, kb: SupportKB) -> None:
    run(kb)
    new = "Since version nine a menu does this: choose Care, then Fresh start, and wait for two beeps."
    lamps = zip(site.pages, ("red", "green", "blue", "white", "dark", "dim", "warm"), strict=False)
    site.pages = {path: article("A topic", f"{new} The lamp is {lamp} then.") for path, lamp in lamps}
    site.pages["/a0"] = article("All is new", "Nothing that stood here is true any more, so read this sentence.")
    site.pages["/a9"] = article("Version", "It is 9.")
    done = run(kb)
    assert (done.error, done.skipped, counts(done)) == (None, (), (1, 6, 0, 0))


STEPS = " ".join(f"{n}. Open the menu, go to item {n} and see that the lamp is on." for n in range(12))
GOOD_PAGES = {
    "how to sign in, with the form": article("How to sign in", f"{STEPS} {PASSWORD}"),
    "how to sign in, short": article("How to sign in", f"Choose Account, then Sign in. {PASSWORD}"),
    "sign in as a topic": article("Sign in", "Open the app, choose Account and type the code of the mail."),
    "page not found as a topic": article("Page not found", f"The printer says: page not found. {STEPS}"),
    "about 404": article("What does error 404 mean?", "It means that the page was not found on our server."),
    "a code of a device": article("Error 404: the pump is blocked", "Descale the machine, then start it again."),
    "another code": article("Error 503: the door is open", "Close the door until it clicks."),
    "a code before a dash": article("Error 503 - door open", "Close the door."),
    "a code in a list of codes": html(
        "Error 503 - door open", "<main><h1>Error 503 - door open</h1><a href=/a0>Door</a></main>"
    ),
    "a code as the only title": article("Error 404", "Descale the pump, then try again."),
    "a code under the name of the machine": article("Fehler 404 | Maschine X", "Entkalken."),
    "about cookies": article("Cookies that the app sets", "We use cookies. Accept all or manage your choices."),
    "about maintenance": article("Maintenance", "Clean the filter every month."),
    "about a refresh": article("Status", "All is up.", "<meta http-equiv=refresh content='60'>"),
    "form in the header": article("Lamp", "It is white at night.", around=f"<header>{PASSWORD}</header>"),
    "form in a window": article("Lamp", "It is red by day.", around=f"<div role=dialog hidden>{PASSWORD}</div>"),
    "search form": article("Lamp", "It is white.", around="<form role=search><input type=search></form>"),
    "cookie banner": article("Lamp", "It is off.", around="<div class=banner>We use cookies. <b>Accept</b></div>"),
    "rules for another robot": Answer(article("Lamp", "It is on.").body, 200, {**HTML, "X-Robots-Tag": "x: noindex"}),
}


def test_help_about_signing_in_and_the_like_is_no_wall(site: HelpSite, kb: SupportKB) -> None:
    site.pages = {f"/g{n}": one for n, one in enumerate(GOOD_PAGES.values())}
    done = run(kb)
    assert (done.error, done.skipped, done.added) == (None, (), len(GOOD_PAGES))
    site.pages = {
        path: Answer(str(one.body).replace("</main>", f"<p>New in {path}.</p></main>"), 200, one.headers)
        for path, one in site.pages.items()
    }
    done = run(kb)
    assert (done.error, done.skipped, done.updated) == (None, (), len(GOOD_PAGES))


def test_pages_that_ask_not_to_be_indexed_are_no_documents(site: HelpSite, kb: SupportKB) -> None:
    words = str(site.pages["/a0"].body)
    site.pages["/a6"] = article("Search", "All results.", '<meta name="robots" content="follow, noindex">')
    site.pages["/a7"] = Answer("<h1>Lamp</h1>", 200, {**HTML, "X-Robots-Tag": "noindex"})
    site.pages["/a8"] = Answer("<h1>Key</h1>", 200, {**HTML, "X-Robots-Tag": "bot: all, autokb: none"})
    done = run(kb)
    assert done.added == 6 and [one.path[-2:] for one in done.skipped] == ["a6", "a7", "a8"]
    assert all("noindex" in one.reason for one in done.skipped)
    site.pages["/a0"] = Answer(words, 200, {**HTML, "X-Robots-Tag": "noindex"})  # which it decides: the same text
    assert counts(run(kb)) == (0, 0, 6, 0)
    assert counts(run(kb)) == (0, 0, 5, 1)


def canonical(path: str) -> str:
    return f"<link rel='canonical' href='{path}'>"


def test_addresses_of_one_page_are_one_document(site: HelpSite, kb: SupportKB) -> None:
    fact = FACTS[0]
    site.pages = {
        "/a/?print=1": article("A", fact),
        "/a": article("A", fact),
        "/a/": article("A", fact),
        "/b/print/": article("B", FACTS[1]),
        "/b/index.html": article("B", FACTS[1]),
        "/c?session=7": article("C", FACTS[2], canonical("/c")),
        "/d-old": article("D", FACTS[3], canonical("/d")),
        "/d": article("D", FACTS[3], canonical("/d")),
        "/e": article("E", FACTS[4], canonical("https://other.example/e")),
        "/f": article("F", FACTS[5], canonical("/closed/f")),
    }
    assert run(kb).error is None
    found = ["/a", "/b/index.html", "/c", "/d", "/e", "/f"]
    assert sorted(texts(kb)) == [site.url + path for path in found]
    assert counts(run(kb)) == (0, 0, 6, 0)
    site.pages["/d"] = site.pages["/d-old"] = article("D", f"{FACTS[3]} And gently.", canonical("/d"))
    assert counts(run(kb)) == (0, 1, 5, 0) and "gently" in texts(kb)[f"{site.url}/d"]


def test_one_canonical_address_on_all_pages_is_a_mistake(site: HelpSite, kb: SupportKB) -> None:
    site.pages = {
        path: Answer(str(one.body).replace("</head>", canonical("/") + "</head>"), 200, HTML)
        for path, one in site.pages.items()
    }
    assert (run(kb).error, len(texts(kb))) == (None, 6)
    site.pages = {
        path: Answer(str(one.body).replace(canonical("/"), canonical("/a3")), 200, HTML)
        for path, one in site.pages.items()
    }
    assert counts(run(kb)) == (0, 0, 6, 0) and set(texts(kb)) == {site.url + path for path in site.pages}


def test_no_document_changes_its_id_where_a_site_writes_its_addresses_anew(site: HelpSite, kb: SupportKB) -> None:
    run(kb)
    before = texts(kb)
    site.pages = {
        f"{path}/": Answer(str(one.body).replace("</head>", canonical(f"{path}/") + "</head>"), 200, HTML)
        for path, one in site.pages.items()
    }
    for _ in range(3):
        done = run(kb)
        assert (done.error, counts(done), texts(kb)) == (None, (0, 0, 6, 0), before)
    site.pages["/a1/"] = article("Topic 1", f"{FACTS[1]} Dry it as well.")
    assert counts(run(kb)) == (0, 1, 5, 0) and "Dry it" in texts(kb)[f"{site.url}/a1"]
    del site.pages["/a2/"]
    run(kb)
    assert counts(run(kb)) == (0, 0, 5, 1)


def test_a_page_that_moved_with_its_text_stays_one_document(site: HelpSite, kb: SupportKB) -> None:
    run(kb)
    before = texts(kb)
    site.instead["/moved"] = article("Topic 1", f"{FACTS[1]} Dry it.")
    site.instead["/a1"] = redirect("/moved")
    done = run(kb)
    assert (done.skipped, counts(done), set(texts(kb))) == ((), (0, 1, 5, 0), set(before))


def test_the_command_names_each_page_and_how_to_accept(
    site: HelpSite, kb: SupportKB, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sync", str(tmp_path / "kb"), "--build"]) == 0
    site.instead["/a1"] = redirect("/signin")
    site.instead["/signin"] = article("Sign in", "Please sign in.")
    capsys.readouterr()
    assert main(["sync", str(tmp_path / "kb")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"skipped: {site.url}/a1: leads to {site.url}/signin, a sign-in page." in said
    assert "1 page kept as before" in said and "--source site --accept" in said
    assert main(["sync", str(tmp_path / "kb"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["site"]
    assert told["kept"] == 1 and told["skipped"][0]["path"] == f"{site.url}/a1"


def test_files_that_are_something_else_keep_their_text(tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    folder.mkdir()
    for n, fact in enumerate(FACTS * 2):
        (folder / f"{n:02}.md").write_text(f"# Topic {n}\n\n" + f"{fact} This is part {n} of it. " * 9, "utf-8")
    kb = opened(tmp_path / "kb", site={"type": "folder", "path": "../manuals"})
    run(kb)
    before = texts(kb)
    (folder / "00.md").write_text("# Moved\n", "utf-8")
    for n in (1, 2):
        (folder / f"{n:02}.md").write_text(
            "# Export failed\n\n" + "The licence of this converter has expired. " * 20, "utf-8"
        )
    (folder / "03.md").write_text(
        "# Topic 3\n\n" + "All of it was written again, in other words, by hand. " * 20, "utf-8"
    )
    for _ in range(2):
        done = run(kb)
        after = texts(kb)
        assert [one.path for one in done.skipped] == ["00.md", "01.md", "02.md"] and done.kept == 3
        assert {id_ for id_, text in after.items() if text != before[id_]} == {"03.md"}
    for n in range(4, 10):
        (folder / f"{n:02}.md").write_text("#\n", "utf-8")
        (folder / f"{n:02}.md").write_text("# Gone\n", "utf-8")
    done = run(kb)
    assert "9 of 12 pages are something else" in str(done.error) and texts(kb) == after
    assert run(kb, accept=True).updated == 9
    assert run(kb).error is None

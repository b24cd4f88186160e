"""Hostile sources: where pages lead, what sitemaps say, runs that lose most, repositories and folders of odd names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.hostile_cases.case import BAD_INPUT, FAILED, FINISHED, Answered, Case, Command
from benchmarks.serving import feeds

CASES: list[Case] = []
SYNC = Command("sync {here}/kb")
EXITS = frozenset({FINISHED, FAILED, BAD_INPUT})  # an error of one source ends the command with 1
PAGES = {f"/p{n:02}": f"# Page {n}\n\nPress button {n} of the kettle." for n in range(40)}
Pages = Mapping[str, feeds.Answer | str]


class Site:
    """A website on loopback, and the settings that name it; once it is healed it serves its ``later`` pages."""

    def __init__(self, here: Path, pages: Pages, later: Pages, sitemap: str) -> None:
        self.here, self.pages, self.later, self.sitemap = here, pages, later, sitemap
        self.server = feeds.FeedServer(self._answer)

    def heal(self) -> None:
        """Serve the later pages."""
        self.pages = self.later

    def _answer(self, asked: feeds.Asked) -> feeds.Answer:
        if asked.path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{self.server.url}{path}</loc></url>" for path in self.pages)
            return feeds.Answer(f"<urlset>{self.sitemap}{urls}</urlset>")
        page = self.pages.get(asked.path, feeds.Answer(status=404))
        return page if isinstance(page, feeds.Answer) else feeds.Answer(page, headers={"Content-Type": "text/plain"})

    @contextmanager
    def serving(self) -> Iterator[Site]:
        """Serve for the length of a block."""
        with self.server:
            source = f"type: web, sitemap: {self.server.url}/sitemap.xml, allow_networks: [{feeds.LOOPBACK}]"
            _set(self.here, source)
            yield self


def _set(here: Path, source: str) -> None:
    (here / "kb" / "settings.yaml").write_text(f"sources: {{manuals: {{{source}}}}}\n", encoding="utf-8")


def _documents(kept: int) -> Callable[[Path, Sequence[Answered]], str]:
    """Return what complains unless the last run left so many items."""

    def check(_here: Path, answered: Sequence[Answered]) -> str:
        done = answered[-1].answer.get("manuals")
        if done is None:
            return f"nothing is said of the source: {answered[-1].err}"
        left = done["added"] + done["updated"] + done["unchanged"]
        return "" if left == kept else f"{left} items are left, not {kept}: {done}"

    return check


def site(
    name: str, pages: Pages, kept: int, *, later: Pages | None = None, sitemap: str = "", heavy: bool = False
) -> None:
    """Add a case of a website that leaves so many pages; one with ``later`` pages is read three times."""
    CASES.append(
        Case(
            "feeds",
            f"site: {name}",
            lambda _here: None,
            (SYNC,) if later is None else (SYNC, Command("heal"), SYNC, SYNC),
            "empty",
            exits=EXITS,
            check=_documents(kept),
            heavy=heavy,
            meanwhile=lambda here: Site(here, pages, later or {}, sitemap).serving(),
        )
    )


for _to in ("http://127.0.0.1:70000/", "https:///x", "http://a..b/", "http://xn--/", "http://[", "http://é" + "a" * 70):
    site(f"a page leads to {_to[:20]}", {**PAGES, "/p00": feeds.Answer(status=302, headers={"Location": _to})}, 39)
site("it lists one page of forty", PAGES, 40, later={"/p00": PAGES["/p00"]})
site("each page is another, of an error", PAGES, 79, later={f"/e{n}": f"Log in, {n}." for n in range(39)})
_foreign = "".join(f"<url><loc>https://h{n}.example/</loc></url>" for n in range(150_000))
site("a sitemap of 150,000 foreign addresses", PAGES, 40, sitemap=_foreign)


def place(name: str, make: Callable[[Path], object], source: str, kept: int | None = None) -> None:
    """Add a case of a folder or repository ``made`` beside the workspace; without ``kept`` items it is refused."""

    def prepare(here: Path) -> None:
        (here / "made").mkdir()
        make(here / "made")
        _set(here, source)

    def refused(_here: Path, answered: Sequence[Answered]) -> str:
        return "" if answered[-1].status else "it was not refused"

    check = refused if kept is None else _documents(kept)
    CASES.append(Case("feeds", name, prepare, (SYNC,), "empty", exits=EXITS, check=check))


def _git(made: Path, *words: str, said: str | None = None) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    done = subprocess.run(["git", *who, *words], cwd=made, input=said, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _repository(made: Path) -> None:
    _git(made, "init", "-q", "-b", "main")
    (made / "a.md").write_text("# Lid\n\nPress the button.\n", encoding="utf-8")
    _git(made, "add", "a.md")
    _git(made, "commit", "-q", "-m", "a")


def _bomb(made: Path) -> None:
    """Commit a tree that names the tree below it ten times, nine deep: some hundred bytes for a billion files."""
    _repository(made)
    tree, kind, mode = _git(made, "hash-object", "-w", "a.md"), "blob", "100644"
    for _ in range(9):
        tree = _git(made, "mktree", said="".join(f"{mode} {kind} {tree}\tn{n}\n" for n in range(10)))
        kind, mode = "tree", "040000"
    _git(made, "update-ref", "refs/heads/main", _git(made, "commit-tree", "-m", "b", tree))


def _odd_name(made: Path) -> None:
    for name in (b"caf\xe9.md", b"a\nb.md", b"\x1b]52;c;aGk=\x07.md"):
        Path(os.fsdecode(os.fsencode(made) + b"/" + name)).write_text("# Lid\n\nPress the button.\n", encoding="utf-8")


place("repository: a billion files of 806 bytes", _bomb, "type: git, url: ../made, branch: main")
place("repository: the folder is .git", _repository, "type: git, url: ../made, folder: .git")
for _url in (
    "https://a.example#@b.example/",
    "https://a.example\\\\@b.example/x",
    "ssh://u@a@b/x",
    "https://h.invalid/x",
):
    place(f"repository: {_url}", lambda _made: None, f'type: git, url: "{_url}"')
place("folder: names that are no text", _odd_name, "type: folder, path: ../made", 3)

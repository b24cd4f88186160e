"""Folders and repositories in step; one source that fails stops no other."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.app.synced import SyncedSource
from autokb.cli import main
from autokb.core.errors import BadInputError, WorkspaceBusyError
from autokb.net.fetch import RunOverError
from autokb.plugins.sync.feeds.git import _Git
from feed_server import LOOPBACK, Answer, Asked, FeedServer


def settle(folder: Path, **sources: dict[str, Any]) -> SupportKB:
    if not folder.exists():
        SupportKB.create(folder, "headphones")
    (folder / "settings.yaml").write_text(json.dumps({"sources": sources}), encoding="utf-8")
    return SupportKB.open(folder)


def counts(one: SyncedSource) -> tuple[int, int, int, int]:
    return one.added, one.updated, one.unchanged, one.removed


def write(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return folder


def staged(kb: SupportKB) -> dict[str, str]:
    with kb.workspace.file() as file:
        return {one.id: str(one.body["text"]) for one in file.staged("documents")}


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, **texts: str) -> None:
    write(folder, **texts)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "more")


@pytest.mark.slow
@pytest.mark.parametrize("shell", [[], ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]], ids=["in front", "behind"])
def test_a_run_that_waits_for_a_server_ends_at_once_when_it_is_stopped(tmp_path: Path, shell: list[str]) -> None:
    waits, goes_on = threading.Event(), threading.Event()

    def hang(asked: Asked) -> Answer:
        waits.set()
        goes_on.wait(600)
        return Answer("Clean it.")

    with FeedServer(hang) as server:
        web = {"type": "web", "urls": [f"{server.url}/a"], "allow_networks": [LOOPBACK]}
        settle(tmp_path / "kb", site=web)
        words = [*shell, sys.executable, "-m", "autokb.cli", "sync", str(tmp_path / "kb"), "--watch"]
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        assert waits.wait(60)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        goes_on.set()
        assert (process.returncode, said) == (0, "")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    made = tmp_path / "manuals.git"
    made.mkdir()
    git(made, "init", "-q")
    commit(made / "docs", pair="Hold the button.", rain="Dry it.")
    commit(made, readme="Of the repository.")
    return made


def test_a_folder_is_read_where_a_file_changed(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", pair="Hold the button.", rain="Dry it.")
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    first = kb.sync().sources["manuals"]
    assert counts(first) == (2, 0, 0, 0) and first.requests == 0 and first.bytes > 0
    again = kb.sync().sources["manuals"]
    assert counts(again) == (0, 0, 2, 0) and again.bytes == 0
    write(manuals, pair="Hold both buttons.", charge="Use the cable.")
    (manuals / "rain.md").unlink()
    assert counts(kb.sync().sources["manuals"]) == (1, 1, 0, 1)
    assert set(staged(kb)) == {"pair.md", "charge.md"}
    kb.remove(["pair.md"])
    assert counts(kb.sync().sources["manuals"]) == (1, 0, 1, 0)
    for file in manuals.iterdir():
        file.unlink()
    assert "see that it is mounted" in str(kb.sync().sources["manuals"].error) and len(staged(kb)) == 2


def test_a_file_that_could_not_be_read_is_named_in_each_run_and_read_when_it_can_be(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", pair="Hold the button.")
    broken = manuals / "rain.md"
    broken.write_bytes(b"# rain\n\n\xff\xfe\x00\n")
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    times = broken.stat().st_mtime_ns
    for _ in range(2):
        done = kb.sync().sources["manuals"]
        assert [Path(one.path).name for one in done.skipped] == ["rain.md"] and done.bytes > 0
    broken.write_bytes(b"# rain\n\nDry\n")  # as long, and of the same time
    os.utime(broken, ns=(times, times))
    assert counts(kb.sync().sources["manuals"]) == (1, 0, 1, 0)
    assert kb.sync().sources["manuals"].bytes == 0


def test_a_folder_that_is_refused_leaves_nothing_to_build(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", pair="Hold the button for five seconds.")
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    assert kb.sync(build=True).build is not None
    (manuals / "pair.md").unlink()
    again = kb.sync(build=True)
    assert "see that it is mounted" in str(again.sources["manuals"].error) and again.build is None


def test_another_folder_takes_the_place_of_the_first(tmp_path: Path) -> None:
    write(tmp_path / "one", pair="Hold the button.")
    write(tmp_path / "two", rain="Dry it.")
    settle(tmp_path / "kb", manuals={"type": "folder", "path": str(tmp_path / "one")}).sync()
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": str(tmp_path / "two")})
    assert counts(kb.sync().sources["manuals"]) == (1, 0, 0, 0) and set(staged(kb)) == {"rain.md"}
    with FeedServer(lambda asked: Answer("Clean it.", headers={"Content-Type": "text/plain"})) as server:
        web = {"type": "web", "urls": [f"{server.url}/a"], "allow_networks": [LOOPBACK]}
        of_web = settle(tmp_path / "kb", manuals=web)
        assert counts(of_web.sync().sources["manuals"]) == (1, 0, 0, 0)
        assert counts(of_web.sync().sources["manuals"]) == (0, 0, 1, 0)
    settle(tmp_path / "kb", manuals={"type": "folder", "path": str(tmp_path / "one")}).sync()
    assert set(staged(kb)) == {"pair.md", "rain.md"}  # what a folder gave stays when its source is no folder any more


def test_a_folder_of_issues_is_read_by_the_fields_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "issues").mkdir()
    (tmp_path / "issues" / "a.csv").write_text("nr,said\n1,The left bud is silent\n", encoding="utf-8")
    fields = {"text": "said", "id": "nr"}
    kb = settle(tmp_path / "kb", chats={"type": "folder", "path": "../issues", "as": "issues", "fields": fields})
    assert kb.sync().sources["chats"].added == 1
    with kb.workspace.file() as file:
        assert [one.id for one in file.staged("issues")] == ["1"]


def test_a_repository_is_checked_out_and_followed(repository: Path, tmp_path: Path) -> None:
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": "../manuals.git", "folder": "docs", "branch": "main"})
    first = kb.sync().sources["manuals"]
    assert (first.error, counts(first)) == (None, (2, 0, 0, 0)) and first.requests == 2 and first.bytes > 0
    again = kb.sync().sources["manuals"]
    assert counts(again) == (0, 0, 2, 0) and (again.requests, again.bytes) == (1, 0)
    commit(repository / "docs", pair="Hold both buttons.")
    git(repository, "rm", "-q", "docs/rain.md")
    git(repository, "commit", "-qm", "less")
    assert counts(kb.sync().sources["manuals"]) == (0, 1, 0, 1)
    # History that was written anew is what the branch is now.
    git(repository, "commit", "-q", "--amend", "-m", "other")
    git(repository, "checkout", "-q", "--orphan", "new")
    commit(repository / "docs", pair="Press it.")
    git(repository, "branch", "-M", "new", "main")
    assert counts(kb.sync().sources["manuals"]) == (0, 1, 0, 0)
    assert staged(kb)["pair.md"].endswith("Press it.\n")


def test_a_checkout_that_a_killed_run_left_is_made_again(repository: Path, tmp_path: Path) -> None:
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository)})
    kb.sync()
    checkout = tmp_path / "kb" / ".sources" / "manuals"
    (checkout / ".git" / "index.lock").write_bytes(b"")
    (checkout / "docs" / "pair.md").write_text("half", encoding="utf-8")
    commit(repository / "docs", charge="Use the cable.")
    assert counts(kb.sync().sources["manuals"]) == (1, 0, 3, 0)
    (checkout / ".git" / "HEAD").write_bytes(b"\0" * 40)
    (checkout.parent / "manuals.new").mkdir()
    commit(repository / "docs", clean="With a cloth.")
    assert counts(kb.sync().sources["manuals"]) == (1, 0, 4, 0)


@pytest.mark.parametrize("left", ["no .git", "a broken .git", "a .git elsewhere"])
def test_a_broken_checkout_changes_no_repository_around_it(left: str, repository: Path, tmp_path: Path) -> None:
    around = tmp_path / "around"
    around.mkdir()
    git(around, "init", "-q")
    commit(around, mine="As it was.")
    kb = settle(around / "kb", manuals={"type": "git", "url": str(repository)})
    kb.sync()
    write(around, mine="Not committed yet.", new="Never added.")
    checkout = around / "kb" / ".sources" / "manuals"
    if left == "a broken .git":
        (checkout / ".git" / "HEAD").unlink()
    else:
        shutil.rmtree(checkout / ".git")
    if left == "a .git elsewhere":
        (checkout / ".git").write_text(f"gitdir: {around / '.git'}\n", encoding="utf-8")
    before = git(around, "rev-parse", "HEAD")
    commit(repository / "docs", charge="Use the cable.")
    done = kb.sync().sources["manuals"]
    assert (done.error, counts(done)) == (None, (1, 0, 3, 0))
    assert git(around, "rev-parse", "HEAD") == before and (around / "new.md").exists()
    assert "Not committed yet." in (around / "mine.md").read_text(encoding="utf-8")


def test_what_the_environment_says_of_another_repository_is_not_heard(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, mine="As it was.")
    write(other, mine="Not committed yet.")
    index = (other / ".git" / "index").read_bytes()
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository)})
    with monkeypatch.context() as patched:
        patched.setenv("GIT_DIR", str(other / ".git"))
        patched.setenv("GIT_WORK_TREE", str(other))
        patched.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
        first = kb.sync().sources["manuals"]
    assert (first.error, counts(first)) == (None, (3, 0, 0, 0))
    commit(repository / "docs", charge="Use the cable.")
    with monkeypatch.context() as patched:
        patched.setenv("GIT_DIR", str(other / ".git"))
        patched.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
        assert counts(kb.sync().sources["manuals"]) == (1, 0, 3, 0)
    assert (other / ".git" / "index").read_bytes() == index
    assert "Not committed yet." in (other / "mine.md").read_text(encoding="utf-8")


def test_a_checkout_that_cannot_be_removed_is_named(repository: Path, tmp_path: Path) -> None:
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository)})
    mine = write(tmp_path / "mine", note="Of the user.")
    (tmp_path / "kb" / ".sources").mkdir()
    (tmp_path / "kb" / ".sources" / "manuals").symlink_to(mine)
    assert "cannot be removed" in str(kb.sync().sources["manuals"].error)
    assert (mine / "note.md").exists() and not staged(kb)


def test_a_tag_with_the_name_of_the_branch_is_not_taken_for_it(repository: Path, tmp_path: Path) -> None:
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository), "branch": "main"})
    kb.sync()
    git(repository, "tag", "main")
    commit(repository / "docs", charge="Use the cable.")
    done = kb.sync().sources["manuals"]
    assert (done.error, counts(done)) == (None, (1, 0, 3, 0))


def test_a_repository_runs_nothing_here(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "docs" / "passwd.md").symlink_to("/etc/passwd")
    (repository / ".gitattributes").write_text("*.md filter=lfs\n", encoding="utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "a link")
    ran = tmp_path / "ran"
    hook = tmp_path / "template" / "hooks" / "post-checkout"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\necho hook >> {ran}\n", encoding="utf-8")
    hook.chmod(0o755)
    smudge = f'test \\"$GIT_LFS_SKIP_SMUDGE\\" = 1 || echo filter >> {ran}; cat'
    (tmp_path / "gitconfig").write_text(
        f'[init]\n\ttemplateDir = {tmp_path / "template"}\n[filter "lfs"]\n\tsmudge = "{smudge}"\n', encoding="utf-8"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository)})
    assert kb.sync().sources["manuals"].error is None
    checkout = tmp_path / "kb" / ".sources" / "manuals"
    assert (checkout / ".git" / "hooks" / "post-checkout").exists() and not ran.exists()
    assert not (checkout / "docs" / "passwd.md").is_symlink() and "root:" not in "".join(staged(kb).values())
    for url in ("ext::sh -c touch% /tmp/x", "-u./x", "--upload-pack=x"):
        with pytest.raises(BadInputError, match="url must be"):
            settle(tmp_path / "kb", manuals={"type": "git", "url": url})
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": "https://127.0.0.1/x.git"})
    assert "no public address" in str(kb.sync().sources["manuals"].error)
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository), "folder": "../../.."})
    assert "no folder" in str(kb.sync().sources["manuals"].error)
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(tmp_path / "gone")})
    assert "git ls-remote failed" in str(kb.sync().sources["manuals"].error)


def test_one_bad_source_stops_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "manuals", pair="Hold the button.")
    good = {"type": "folder", "path": "../manuals"}
    settle(tmp_path / "kb", bad={"type": "folder", "path": "../gone"}, good=good)
    assert main(["sync", str(tmp_path / "kb"), "--json"]) == 1
    printed = capsys.readouterr()
    said = json.loads(printed.out)
    assert said["good"] == {
        **dict.fromkeys(("updated", "unchanged", "removed", "requests", "kept"), 0),
        "added": 1,
        "skipped": [],
        "error": None,
        "bytes": (tmp_path / "manuals" / "pair.md").stat().st_size,
    }
    assert "does not exist" in said["bad"]["error"] and printed.err.startswith("bad: ")
    assert main(["sync", str(tmp_path / "kb"), "--source", "good"]) == 0
    assert "good: 0 added" in capsys.readouterr().out
    assert main(["sync", str(tmp_path / "kb"), "--source", "other"]) == 2
    assert "bad, good" in capsys.readouterr().err


def test_a_build_follows_what_changed_also_after_a_failed_one(tmp_path: Path) -> None:
    write(tmp_path / "manuals", pair="Hold the button for five seconds.")
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    with kb.workspace.build_lock(), pytest.raises(WorkspaceBusyError):
        kb.sync(build=True)
    assert kb.sync().build is None
    built = kb.sync(build=True).build
    assert built is not None and [one.id for one in kb.views.documents().items] == ["pair.md"]
    assert kb.sync(build=True).build is None


def test_without_sources_it_says_where_to_write_them(tmp_path: Path) -> None:
    kb = settle(tmp_path / "kb")
    with pytest.raises(BadInputError, match="no sources yet"):
        kb.sync()


@pytest.mark.slow
def test_watching_reads_each_source_in_its_time_and_ends_cleanly(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", pair="Hold the button.")
    settle(
        tmp_path / "kb",
        often={"type": "folder", "path": "../manuals", "every": "1s"},
        seldom={"type": "folder", "path": "../gone", "every": "1d"},
    )
    for stop in (signal.SIGTERM, signal.SIGINT):
        words = [sys.executable, "-m", "autokb.cli", "sync", str(tmp_path / "kb"), "--watch"]
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        lines = [process.stderr.readline() for _ in range(3)]
        write(manuals, **{f"page{len(list(manuals.iterdir()))}": "Another page."})
        while "1 added" not in lines[-1] or len(lines) < 4:
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        os.kill(process.pid, stop)
        left, _ = process.stderr.read(), process.wait(60)
        assert process.returncode == 0 and "Traceback" not in left
        assert all(" often: " in line or " seldom: " in line for line in lines)
        # The second process waits for the rest of the day.
        assert sum(" seldom: " in line for line in lines) == (stop == signal.SIGTERM)


def test_new_files_do_not_make_up_for_those_that_are_lost(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", **{f"p{n}": f"Page {n} says this." for n in range(4)})
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    kb.sync()
    for file in sorted(manuals.iterdir())[1:]:
        file.unlink()
    write(manuals, **{f"q{n}": f"Notice {n}." for n in range(5)})
    assert "--accept" in str(kb.sync().sources["manuals"].error) and len(staged(kb)) == 4
    assert kb.sync(accept=True).sources["manuals"].removed == 3 and len(staged(kb)) == 6


def test_a_folder_that_lost_more_than_half_is_refused_over_runs_too(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", **{f"p{n:02}": f"Page {n} says this." for n in range(10)})
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    kb.sync()
    for left, kept in ((6, 6), (4, 6), (1, 6)):
        for file in sorted(manuals.iterdir())[left:]:
            file.unlink()
        done = kb.sync().sources["manuals"]
        assert len(staged(kb)) == kept and ("--accept" in str(done.error)) == (left < 6)
    assert main(["sync", str(tmp_path / "kb"), "--accept", "--watch"]) == 2
    assert main(["sync", str(tmp_path / "kb"), "--accept"]) == 0 and len(staged(kb)) == 1
    (manuals / "p00.md").unlink()
    assert "see that it is mounted" in str(kb.sync().sources["manuals"].error)
    assert kb.sync(accept=True).sources["manuals"].error is None and not staged(kb)


def test_a_name_that_is_no_text_is_a_file_like_others(tmp_path: Path) -> None:
    manuals = write(tmp_path / "manuals", pair="Hold the button.")
    Path(os.fsdecode(os.fsencode(manuals) + b"/caf\xe9.md")).write_text(
        "# Coffee\n\nNo coffee near it.", encoding="utf-8"
    )
    kb = settle(tmp_path / "kb", manuals={"type": "folder", "path": "../manuals"})
    assert counts(kb.sync().sources["manuals"]) == (2, 0, 0, 0)
    again = kb.sync().sources["manuals"]
    assert (again.error, counts(again), again.bytes) == (None, (0, 0, 2, 0), 0)


def bomb(made: Path, depth: int, width: int) -> None:
    """Commit a tree that names the tree below it many times: some hundred bytes for a billion files."""
    tree = git(made, "hash-object", "-w", "readme.md").strip()
    kind, mode = "blob", "100644"
    for _ in range(depth):
        lines = "".join(f"{mode} {kind} {tree}\tn{n}\n" for n in range(width))
        done = subprocess.run(["git", "mktree"], cwd=made, input=lines, check=True, capture_output=True, text=True)
        tree, kind, mode = done.stdout.strip(), "tree", "040000"
    git(made, "update-ref", "refs/heads/main", git(made, "commit-tree", "-m", "bomb", tree).strip())


def test_a_repository_that_unfolds_to_a_billion_files_writes_none(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autokb.plugins.sync.feeds.git.MOST_SAID", 1_000_000)
    kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository), "branch": "main"})
    bomb(repository, 9, 10)
    checkouts = tmp_path / "kb" / ".sources"
    assert "more files" in str(kb.sync().sources["manuals"].error)
    assert sorted(one.name for one in checkouts.iterdir()) == ["manuals.lock"] and checkouts.stat().st_mode & 0o77 == 0
    monkeypatch.setattr("autokb.plugins.sync.feeds.git.MOST_FILES", 50)
    bomb(repository, 2, 10)  # read whole, and too many
    assert "more than 50 files" in str(kb.sync().sources["manuals"].error)
    monkeypatch.setattr("autokb.plugins.sync.feeds.git.MOST_FILES", 1_000)
    monkeypatch.setattr("autokb.plugins.sync.feeds.git.MOST_BYTES", 1_000)
    assert "1,000 bytes" in str(kb.sync().sources["manuals"].error)


def test_a_command_that_writes_without_end_is_ended(repository: Path, tmp_path: Path) -> None:
    def check() -> None:
        raise RunOverError("It was stopped.")

    git(repository, "config", "alias.hang", "!sleep 600")
    asks = _Git(dict(os.environ), check)
    with pytest.raises(RunOverError):
        asks(["hang"], repository)
    processes = subprocess.run(["ps", "-eo", "args"], check=True, capture_output=True, text=True).stdout
    assert not any(line.startswith("sleep 600") for line in processes.splitlines())


def test_what_git_keeps_is_no_folder_to_read(repository: Path, tmp_path: Path) -> None:
    for folder in (".git", "docs/../.git", ".GIT", ".git/hooks"):
        kb = settle(tmp_path / "kb", manuals={"type": "git", "url": str(repository), "folder": folder})
        assert "no folder" in str(kb.sync().sources["manuals"].error)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example#@b.example/",
        "https://a.example?@b",
        "https://a.example\\@b.example/x",
        "ssh://u@a@b/x",
        "u@a@b:x",
    ],
)
def test_an_address_that_two_programs_read_in_two_ways_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="url must"):
        settle(tmp_path / "kb", manuals={"type": "git", "url": url})


def test_git_is_given_no_proxy(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        FeedServer(lambda _asked: Answer(status=404)) as proxy,
        FeedServer(lambda _asked: Answer(status=404)) as server,
    ):
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        url = f"{server.url}/x.git"
        kb = settle(tmp_path / "kb", manuals={"type": "git", "url": url, "allow_networks": [LOOPBACK]})
        assert "git ls-remote failed" in str(kb.sync().sources["manuals"].error)
        assert server.asked and not proxy.asked

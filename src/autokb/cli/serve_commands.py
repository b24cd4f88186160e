"""``autokb serve``: the service over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app

if TYPE_CHECKING:
    from socket import socket

APPLICATION, APPLICATION_OF_MANY = "autokb.web.app:served_app", "autokb.web.many:served_many_app"
# That a silent connection is kept: longer than proxies and clients keep theirs (nginx: 60), so that they end it and no
# request is sent into a connection that is just being closed.
IDLE_SECONDS = 75
GRACE_SECONDS = 35  # for requests under way when it is stopped; none takes longer than 30
WAITING = 2048  # connections that the system keeps until they are taken
OPEN_FILES = 65_536  # that a process may have, a connection being one; many systems begin with 1,024


@app.command(epilog="Example: autokb serve kb  and then  curl localhost:8000/v1/ready")
def serve(
    workspace: Folder,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = 8000,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Processes that answer; each holds the whole in memory.")
    ] = 1,
    rate: Annotated[
        int, typer.Option(metavar="N", min=0, help="Requests a minute for a key, in each process; 0 limits nothing.")
    ] = 1200,
    memory: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="With a folder of workspaces: the memory above which unused ones are closed (700M)."
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Serve a workspace over HTTP until it is stopped (Ctrl-C, SIGTERM); requests under way are answered first.

    A folder of workspaces is served as a whole: each of them under /w/NAME/.
    """
    import os

    # Before numpy is loaded: the threads of one matrix product wait for each other, which slows many small questions.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from autokb.app.keys_of_all import KeysOfAll
    from autokb.app.workspaces import ONLY, FolderOfWorkspaces, OnlyWorkspace, Workspaces, holds_workspaces
    from autokb.cli.output import say
    from autokb.core.errors import hide_values

    many = holds_workspaces(workspace)
    size = _check_many(workspace, workers, memory, many=many)
    workspaces = Workspaces(FolderOfWorkspaces(workspace) if many else OnlyWorkspace(workspace))
    if many:
        keys = KeysOfAll(workspaces.places)
        keys.read_servers()
        needs_key = not keys.without()
    else:
        with hide_values(), workspaces.use(ONLY) as opened:
            needs_key = opened.kb.keys.are_needed()
            _ = opened.kb.waits_for_servers  # which its processes ask, and an embedder that is none refuses
        workspaces.close()
    for name, one in workspaces.settings().items():
        missing = filter(None, (desk.missing_variables() for desk in one.helpdesks.values()))
        say(f"{name}: {sentence}" if name else sentence for sentence in missing)
    listening = listen_and_say(workspace, host, port, needs_key=needs_key, json=json)
    os.environ["AUTOKB_SERVED_MEMORY"] = str(size)
    run_application(APPLICATION_OF_MANY if many else APPLICATION, listening, workspace, host, rate, workers)


def listen_and_say(workspace: Path, host: str, port: int, path: str = "", *, needs_key: bool, json: bool) -> socket:
    """Return a socket that listens (BadInputError), after it was said where a workspace is served."""
    import socket

    from autokb.cli.output import emit
    from autokb.core.errors import BadInputError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=WAITING)
    except OSError as error:
        raise BadInputError(
            f"{host}, port {port}, cannot be listened on ({error.strerror}); choose another: --port N."
        ) from error
    taken = listening.getsockname()[1]
    url = f"http://{f'[{host}]' if ':' in host else host}:{taken}{path}"
    key = "a key is needed" if needs_key else "no key is needed at this machine while there is none"
    emit(
        json,
        {"url": url, "host": host, "port": taken, "needs_key": needs_key},
        lambda: f"{workspace} is served at {url} ({key}). Ctrl-C stops it.",
    )
    return listening


def run_application(application: str, listening: socket, workspace: Path, host: str, rate: int, workers: int) -> None:
    """Serve an application, which each process opens by its name, until a signal stops it."""
    import os
    import signal
    import tempfile

    import uvicorn
    from uvicorn.supervisors import Multiprocess

    os.environ |= {
        "AUTOKB_SERVED_WORKSPACE": str(workspace.absolute()),
        "AUTOKB_SERVED_HOST": host,
        "AUTOKB_SERVED_RATE": str(rate),
        "AUTOKB_SERVED_WORKERS": str(workers),
    }
    # Workers that each take all processors for one text wait for each other.
    os.environ.setdefault("AUTOKB_ENCODER_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    _allow_open_files()
    config = uvicorn.Config(
        application,
        factory=True,
        http="autokb.web.connections:Connection",
        workers=workers,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # which names what stands in paths; the application has its own
        proxy_headers=False,  # who a request comes from is what the connection says
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=IDLE_SECONDS,
    )
    if workers > 1:
        with tempfile.TemporaryDirectory(prefix="autokb-figures-") as folder:  # so that /metrics has those of all
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            Multiprocess(config, sockets=[listening]).run()
        return
    # The server raises the signal that stopped it once more when it is done; to be stopped is no failure.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda _signal, _frame: None)
    uvicorn.Server(config).run(sockets=[listening])


def _check_many(folder: Path, workers: int, memory: str, *, many: bool) -> int:
    """Return the bytes that the process may have, 0 for any; say what a folder of workspaces has that is not served."""
    from autokb.app.workspaces import FolderOfWorkspaces, read_size
    from autokb.cli.output import say
    from autokb.core.errors import BadInputError

    if not many:
        if memory:
            raise BadInputError("--memory is for a folder of workspaces; one workspace stays in memory whole.")
        return 0
    if workers > 1:
        raise BadInputError("A folder of workspaces is served by one process, which holds them; leave --workers out.")
    say(
        f"{name!r} is not served: rename its folder to letters, digits, dots, hyphens and underscores."
        for name in FolderOfWorkspaces(folder).unserved()
    )
    return read_size(memory) if memory else 0


def _allow_open_files() -> None:
    """Raise how many files this process may have open, as far as the system lets it."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

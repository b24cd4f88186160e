"""Helpdesks on loopback in their documented shapes, and the webhooks that they send, signed as they sign.

Notes and replies are kept in ``written``; ``faults`` says what the next requests get instead of an answer.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET, TOKEN = "signed by the desk", "may write notes"
HELPDESKS = ("chatwoot", "zendesk", "intercom")
ENVIRONMENT = {
    f"AUTOKB_{name.upper()}_{what}": value
    for name in HELPDESKS
    for what, value in (("SECRET", SECRET), ("TOKEN", TOKEN))
}
ACCOUNT, USER, ADMIN = "7", "kb@example.com", "99"
WRITE = (
    ("chatwoot", "POST", re.compile(rf"/api/v1/accounts/{ACCOUNT}/conversations/([\w-]+)/messages")),
    ("zendesk", "PUT", re.compile(r"/api/v2/tickets/([\w-]+)\.json")),
    ("intercom", "POST", re.compile(r"/conversations/([\w-]+)/reply")),
)
LOOK = (
    ("chatwoot", re.compile(rf"/api/v1/accounts/{ACCOUNT}/conversations/([\w-]+)/messages\?after=[\w-]+")),
    ("zendesk", re.compile(r"/api/v2/tickets/([\w-]+)/comments\.json\?sort_order=desc")),
    ("intercom", re.compile(r"/conversations/([\w-]+)")),
)
LOOK_UP = (
    ("chatwoot", re.compile(rf"/api/v1/accounts/{ACCOUNT}/conversations/([\w-]+)")),
    ("zendesk", re.compile(r"/api/v2/tickets/([\w-]+)\.json")),
)
BASIC = base64.b64encode(f"{USER}/token:{TOKEN}".encode()).decode()
AUTHORIZED = {
    "chatwoot": ("api_access_token", TOKEN),
    "zendesk": ("authorization", f"Basic {BASIC}"),
    "intercom": ("authorization", f"Bearer {TOKEN}"),
}


@dataclass(frozen=True)
class Written:
    """What was written into a conversation."""

    helpdesk: str
    conversation: str
    text: str
    public: bool
    at: float
    body: Any = field(compare=False)


@dataclass(frozen=True)
class Fault:
    """What a request gets in the place of an answer; ``does`` says that what it asks is done all the same."""

    status: int  # 0 ends the connection without a word
    does: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection whose other end was killed, and everything of what else fails."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class DeskServer:
    """Serves all three in threads of its own; ``offset`` is how far its clock is ahead, in seconds."""

    def __init__(self) -> None:
        self.written: list[Written] = []
        self.faults: deque[Fault] = deque()  # for requests that write
        self.look_faults: deque[Fault] = deque()
        self.record_faults: deque[Fault] = deque()  # of Chatwoot and Zendesk, when asked who leads a conversation
        self.failed: set[tuple[str, str]] = set()  # helpdesk and conversation of writes that a fault met
        self.refused: list[str] = []
        self.looks = 0
        self.assigned: dict[tuple[str, str], str] = {}  # helpdesk and conversation: the agent who leads it
        self.fault_of: Any = None  # given the number of a request that writes, its fault or None
        self.hold = threading.Event()  # while it is set, requests that write wait
        self.held = threading.Event()  # set when one waits
        self.connected: set[Any] = set()  # the handlers of connections that are open
        self._lock = threading.Lock()
        self.requests = 0  # that write
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> DeskServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.hold.clear()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def settings(self, **more: str) -> str:
        """Return what the settings of a workspace say of the three."""
        beside = "".join(f", {name}: {value}" for name, value in more.items())
        return (
            "helpdesks:\n"
            f"  chatwoot: {{url: '{self.url}', account: {ACCOUNT}{beside}}}\n"
            f"  zendesk: {{url: '{self.url}', user: {USER}{beside}}}\n"
            f"  intercom: {{url: '{self.url}', admin: {ADMIN}{beside}}}\n"
        )

    def texts(self, conversation: str = "1") -> list[str]:
        """Return what was written into a conversation."""
        return [one.text for one in self.written if one.conversation == conversation]

    def _handler(self) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - a class that knows its server
        desk = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                desk.connected.add(self)

            def finish(self) -> None:
                desk.connected.discard(self)
                super().finish()

            def log_message(self, *_: object) -> None:
                """Print nothing."""

            def do_GET(self) -> None:
                """Say what stands in a conversation, or who is assigned to it."""
                for name, path in LOOK_UP:
                    if (found := path.fullmatch(self.path)) and desk.is_authorized(name, self.headers):
                        self.answer(
                            desk.record_faults.popleft() if desk.record_faults else None,
                            200,
                            desk.record(name, found[1]),
                        )
                        return
                with desk._lock:
                    desk.looks += 1
                    fault = desk.look_faults.popleft() if desk.look_faults else None
                for name, path in LOOK:
                    if (found := path.fullmatch(self.path)) and desk.is_authorized(name, self.headers):
                        self.answer(fault, 200, desk.shown(name, found[1]))
                        return
                desk.refused.append(f"GET {self.path}")
                self.answer(None, 404, {})

            def do_POST(self) -> None:
                """Write something."""
                sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
                while desk.hold.is_set():
                    desk.held.set()
                    time.sleep(0.01)
                for name, method, path in WRITE:
                    if method == self.command and (found := path.fullmatch(self.path)):
                        if not desk.is_authorized(name, self.headers):
                            break
                        fault = desk.next_fault()
                        if fault is not None:
                            desk.failed.add((name, found[1]))
                        if fault is None or fault.does:
                            desk.write(name, found[1], sent)
                        self.answer(fault, 200, {"id": 1})
                        return
                desk.refused.append(f"{self.command} {self.path}")
                self.answer(None, 401, {})

            do_PUT = do_POST  # noqa: N815

            def answer(self, fault: Fault | None, status: int, body: Any) -> None:
                if fault is not None and not fault.status:
                    self.close_connection = True
                    return
                data = json.dumps(body).encode()
                self.send_response(fault.status if fault else status)
                for header, value in (fault.headers if fault else {}).items():
                    self.send_header(header, value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler

    def next_fault(self) -> Fault | None:
        with self._lock:
            self.requests += 1
            if self.fault_of is not None:
                found: Fault | None = self.fault_of(self.requests)
                return found
            return self.faults.popleft() if self.faults else None

    @staticmethod
    def is_authorized(name: str, headers: Any) -> bool:
        header, value = AUTHORIZED[name]
        return bool(headers.get(header) == value)

    def write(self, name: str, conversation: str, sent: Any) -> None:
        if name == "chatwoot":
            assert sent["message_type"] == "outgoing"
            text, public = sent["content"], not sent["private"]
        elif name == "zendesk":
            text, public = sent["ticket"]["comment"]["html_body"], sent["ticket"]["comment"]["public"]
        else:
            assert sent["type"] == "admin" and sent["admin_id"] == ADMIN
            text, public = sent["body"], sent["message_type"] == "comment"
        with self._lock:
            self.written.append(Written(name, conversation, text, public, time.time(), sent))

    def shown(self, name: str, conversation: str) -> Any:
        with self._lock:
            here = [one for one in self.written if (one.helpdesk, one.conversation) == (name, conversation)]
        if name == "chatwoot":
            return {
                "meta": {},
                "payload": [
                    {
                        "id": n,
                        "content": one.text,
                        "message_type": 1,
                        "private": not one.public,
                        "created_at": int(one.at),
                    }
                    for n, one in enumerate(here, 10_000)
                ],
            }
        if name == "zendesk":
            return {
                "comments": [
                    {"id": n, "html_body": one.text, "public": one.public, "created_at": iso(one.at)}
                    for n, one in enumerate(reversed(here))
                ]
            }
        parts = [
            {
                "type": "conversation_part",
                "id": str(n),
                "part_type": "comment" if one.public else "note",
                "body": f"<p>{one.text}</p>",
                "created_at": int(one.at),
                "author": {"type": "admin", "id": ADMIN},
            }
            for n, one in enumerate(here)
        ]
        leads = self.assigned.get((name, conversation))
        record = {"type": "conversation", "id": conversation, "admin_assignee_id": leads and int(leads)}
        return {**record, "conversation_parts": {"conversation_parts": parts}}

    def record(self, name: str, conversation: str) -> Any:
        """Return what Chatwoot and Zendesk say of a conversation without its messages."""
        leads = self.assigned.get((name, conversation))
        if name == "chatwoot":
            return {"id": conversation, "meta": {"assignee": {"id": leads}} if leads else {}, "status": "open"}
        return {"ticket": {"id": conversation, "assignee_id": leads and int(leads), "status": "open"}}


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat().replace("+00:00", "Z")


def hook(
    helpdesk: str, ident: str, text: str, conversation: str = "1", *, agent: bool = False, said: float | None = None
) -> Any:
    """Return the body of the webhook that a message makes."""
    at = time.time() if said is None else said
    if helpdesk == "chatwoot":
        return {
            "event": "message_created",
            "id": int(ident),
            "content": text,
            "created_at": iso(at),
            "message_type": "outgoing" if agent else "incoming",
            "content_type": "text",
            "private": False,
            "sender": {"id": 5, "name": "Ann", "type": "user"} if agent else {"id": 80, "name": "Cem"},
            "inbox": {"id": 1, "name": "Web"},
            "conversation": {"id": int(conversation), "status": "open"},
            "account": {"id": int(ACCOUNT), "name": "Shop"},
        }
    if helpdesk == "zendesk":
        author = {"id": "5" if agent else "80", "is_staff": agent, "name": "Ann"}
        return {
            "account_id": 1,
            "id": f"event-{ident}",
            "type": "zen:event-type:ticket.comment_added",
            "zendesk_event_version": "2022-11-06",
            "time": iso(at),
            "subject": f"zen:ticket:{conversation}",
            "detail": {"id": conversation, "actor_id": author["id"], "status": "OPEN"},
            "event": {"comment": {"id": ident, "body": text, "is_public": True, "author": author}},
        }
    author = {"type": "admin" if agent else "user", "id": "5" if agent else "80"}
    part = {
        "type": "conversation_part",
        "id": ident,
        "part_type": "comment",
        "body": f"<p>{text}</p>",
        "created_at": at,
        "author": author,
    }
    return {
        "type": "notification_event",
        "id": f"notif_{ident}",
        "topic": f"conversation.{'admin' if agent else 'user'}.replied",
        "created_at": int(at),
        "data": {
            "type": "notification_event_data",
            "item": {
                "type": "conversation",
                "id": conversation,
                "created_at": int(at),
                "source": {"id": "1", "body": "<p>earlier</p>", "author": {"type": "user", "id": "80"}},
                "conversation_parts": {"type": "conversation_part.list", "conversation_parts": [part]},
            },
        },
    }


def signed(helpdesk: str, body: bytes, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    """Return the headers of a webhook as its helpdesk signs it."""
    now = time.time() if at is None else at
    if helpdesk == "chatwoot":
        stamp = str(int(now))
        value = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        return {"x-chatwoot-signature": f"sha256={value}", "x-chatwoot-timestamp": stamp}
    if helpdesk == "zendesk":
        stamp = iso(int(now))
        value = base64.b64encode(hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()).decode()
        return {"x-zendesk-webhook-signature": value, "x-zendesk-webhook-signature-timestamp": stamp}
    return {"x-hub-signature": f"sha1={hmac.new(secret.encode(), body, hashlib.sha1).hexdigest()}"}

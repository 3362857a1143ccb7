"""The source of a server that tests race: Python's own, and what it does with requests."""

from __future__ import annotations

import textwrap

_HEAD = """\
import http.server, os, secrets, signal, sys

"""
_HANDLER = """\

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

"""
_TAIL = """\

    def answer(self, status, body, more=""):
        head = f"HTTP/1.1 {status} It\\r\\n{more}Content-Length: {len(body)}\\r\\n\\r\\n".encode()
        self.wfile.write(head + body)

    def log_message(self, *_):
        pass

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
http.server.ThreadingHTTPServer.request_queue_size = 256
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


def server(methods: str, constants: str = "") -> str:
    """`methods` of the handler (`do_GET`, ...) answer by `self.answer(status, body, more_lines_of_head)`;
    `constants` stand before it. It listens at PORT."""
    return _HEAD + constants + _HANDLER + textwrap.indent(textwrap.dedent(methods), " " * 4) + _TAIL

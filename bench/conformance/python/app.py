"""The same answer over ASGI and WSGI."""

from typing import Any


async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    body = f"Hello from {scope['path'][1:]}!".encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def wsgi(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    body = f"Hello from {environ['PATH_INFO'][1:]}!".encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]

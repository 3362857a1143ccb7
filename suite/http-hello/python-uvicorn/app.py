"""An ASGI application that answers GET /NAME with "Hello from NAME!"."""


async def app(scope, receive, send):
    if scope["type"] != "http":
        raise ValueError(f"only HTTP is served here, not {scope['type']}")
    body = f"Hello from {scope['path'][1:]}!".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})

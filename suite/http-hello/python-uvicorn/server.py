"""Serves the application on uvicorn, with TLS_CERT and TLS_KEY over HTTPS.

The port is the first argument, or PORT; the address is HOST.
"""

import os
import signal
import sys

import uvicorn
from app import app


def main() -> None:
    # Once uvicorn has shut down it raises the signal again: a stop that was asked for ends with 0.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    port = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PORT", "8080")
    uvicorn.run(
        app,
        host=os.environ.get("HOST", "127.0.0.1"),
        port=int(port),
        access_log=False,
        log_level="warning",
        ssl_certfile=os.environ.get("TLS_CERT"),
        ssl_keyfile=os.environ.get("TLS_KEY"),
    )


if __name__ == "__main__":
    main()

"""How gunicorn serves the application: one process, and as many threads as the pool has connections."""

import os

from gunicorn.workers.base import Worker

wsgi_app = "project.wsgi"
bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8080')}"
worker_class = "gthread"
threads = 16
loglevel = "warning"
control_socket_disable = True


def post_worker_init(worker: Worker) -> None:
    """All connections to the database are opened at the start."""
    from django.conf import settings
    from django.db import connection

    if settings.HAS_DATABASE:
        connection.pool.open(wait=True)

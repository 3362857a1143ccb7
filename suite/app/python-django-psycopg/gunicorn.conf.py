"""How gunicorn serves the application: four processes, as its documentation advises, of four threads."""

import os

from gunicorn.workers.base import Worker

wsgi_app = "project.wsgi"
bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8080')}"
worker_class = "gthread"
workers = 4
threads = 4
# Loaded before it listens.
preload_app = True
loglevel = "warning"
control_socket_disable = True


def post_worker_init(worker: Worker) -> None:
    """All connections of a process to the database are opened at its start."""
    from django.conf import settings
    from django.db import connection

    if settings.HAS_DATABASE:
        connection.pool.open(wait=True)

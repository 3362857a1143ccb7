"""Programs that make it hard to be rid of them. Each says the pids of all of it, then `up`."""

FORKS = """
for _ in range(3):
    if os.fork() == 0:
        say(os.getpid())
        signal.pause()
say(os.getpid())
time.sleep(0.05)
say('up')
signal.pause()
"""

DAEMONISES = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        say(os.getpid())
        os.close(0); os.close(2)
        say('up')
        signal.pause()
    os._exit(0)
os.wait()
say(os.getpid())
signal.pause()
"""

# Not by pause(), which a signal that came just before it does not end: its handler is Python's.
HEEDS_TERM = """
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
say('up')
while True:
    time.sleep(0.01)
"""

IGNORES_TERM = """
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
say(os.getpid())
say('up')
while True:
    signal.pause()
"""

GRANDCHILDREN_IN_SESSIONS = """
def descend(depth):
    os.setsid() if depth else None
    say(os.getpid())
    if depth == 3:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say('up')
    elif os.fork() == 0:
        descend(depth + 1)
    while True:
        signal.pause()
descend(0)
"""

FLOODS = """
say(os.getpid())
say('up')
while True:
    os.write(1, b'x' * 65536)
"""

THREADS = """
import threading
def spin():
    while True:
        pass
for _ in range(3):
    threading.Thread(target=spin, daemon=True).start()
say(os.getpid())
say('up')
spin()
"""

ALL = {
    "forks": FORKS,
    "daemonises": DAEMONISES,
    "ignores-term": IGNORES_TERM,
    "sessions": GRANDCHILDREN_IN_SESSIONS,
    "floods": FLOODS,
    "threads": THREADS,
}

"""The study's commands."""

from collections.abc import Iterator

from redis.client import Pipeline


def runs(iterations: int) -> list[tuple[str, int]]:
    """One round: commands, and how often each is sent in a row."""
    return [
        ("del", 1),
        ("set", iterations),
        ("get", iterations),
        ("del", 1),
        ("incr", iterations),
        ("del", 1),
        ("get", iterations),
    ]


def fill(pipe: Pipeline, iterations: int, depth: int | None) -> Iterator[None]:
    """Hands the commands of a round over; stops each time a pipeline of `depth` is full, and at the end."""
    methods = {
        "del": lambda: pipe.delete("foo"),
        "set": lambda: pipe.set("foo", "bar"),
        "get": lambda: pipe.get("foo"),
        "incr": lambda: pipe.incr("foo"),
    }
    handed_over = 0
    for command, times in runs(iterations):
        method = methods[command]
        for _ in range(times):
            method()
            handed_over += 1
            if handed_over == depth:
                yield
                handed_over = 0
    if handed_over:
        yield

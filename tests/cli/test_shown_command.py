"""A command line as reports show it."""

from __future__ import annotations

import pytest

from deadheat.cli import values


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["race", "fib", "--seed", "7"], ["race", "fib", "--seed", "7"]),
        (["--db", "postgresql://a:secret@host/b"], ["--db", "postgresql://a@host/b"]),
        (
            ["--db", "postgresql://host/b?password=secret&c=1"],
            ["--db", "postgresql://host/b?password=***&c=1"],
        ),
        (
            ["--set", "A.env.KEY=secret", "--set=B.env.KEY=s"],
            ["--set", "A.env.KEY=***", "--set=B.env.KEY=***"],
        ),
        (["--login-body", "secret", "--login", "/in"], ["--login-body", "***", "--login", "/in"]),
        (["--login-body=secret=1"], ["--login-body=***"]),
        (["--login-header", "Authorization: secret"], ["--login-header", "***"]),
        (["--login-take", "a=cookie b"], ["--login-take", "a=cookie b"]),
    ],
)
def test_what_signs_in_is_not_shown(given: list[str], shown: list[str]) -> None:
    assert values.without_passwords(given) == shown

"""The command line: one module a verb, each of which parses, calls and prints."""

from __future__ import annotations

import sys

from deadheat.errors import ExitCode, UserError


def main() -> None:
    """The `deadheat` program."""
    # Imported here, so that the package can be imported without a terminal library.
    from deadheat.cli.app import app  # noqa: PLC0415
    from deadheat.cli.terminal import print_error  # noqa: PLC0415

    try:
        app()
    except UserError as error:
        print_error(error)
        sys.exit(error.code)
    except BrokenPipeError:
        # Whoever read our output has gone (| head): nothing more to say, and no traceback.
        sys.stderr.close()
        sys.exit(ExitCode.DONE)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)

"""The command line: one module a verb, each of which parses, calls and prints."""

from __future__ import annotations

import sys

from deadheat.errors import BISECT_STOPS, ExitCode, UserError


def main() -> None:
    """The `deadheat` program: the one place where what went wrong becomes a message and an exit code."""
    # Imported here, so that the package can be imported without a terminal library.
    import click

    from deadheat.cli import terminal
    from deadheat.cli.app import app
    from deadheat.util.interrupt import InterruptedRunError

    try:
        code = app(standalone_mode=False)
    except UserError as error:
        terminal.print_error(error.message, error.hint)
        code = error.code
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        code = ExitCode.USAGE
    except click.UsageError as error:
        terminal.print_error(
            error.format_message(), f"{error.ctx.command_path} --help" if error.ctx else None
        )
        if error.ctx:
            print(error.ctx.get_usage(), file=sys.stderr)
        code = ExitCode.USAGE
    except BrokenPipeError:
        # Whoever read our output has gone (| head): nothing more to say, and no traceback.
        sys.stderr.close()
        code = ExitCode.DONE
    except (KeyboardInterrupt, click.Abort, InterruptedRunError):
        code = ExitCode.INTERRUPTED
    if code == ExitCode.USAGE and "--bisect" in sys.argv:
        code = BISECT_STOPS
    sys.exit(code)

#!/bin/sh
# All of pytest, several tests side by side; up to five that fail are tried once more with nothing beside them.
# Usage: pytest.sh PYTEST ARGUMENT...
# A test that passes only alone depends on time, which no test should: it is named, so that it is mended, and
# does not refuse everything else.
set -u
most=5
# Which tests take long is said by whatever ran them, since it is another machine than where they are written.
"$@" --durations=25 --durations-min=20 && exit 0
code=$?
failed=$(grep -c '": true' .pytest_cache/v/cache/lastfailed 2>/dev/null || true)
# 1: tests failed; all else is pytest's own trouble, or Ctrl-C.
if [ $code != 1 ] || [ "${failed:-0}" = 0 ] || [ "$failed" -gt $most ]; then exit $code; fi
echo "pytest: $failed failed beside others: once more, alone"
sed -n 's/^ *"\(.*\)": true,*$/pytest: alone: \1/p' .pytest_cache/v/cache/lastfailed
"$1" --last-failed --last-failed-no-failures none -p no:xdist || exit $?
echo "pytest: passed alone, and not beside others: see above, to be mended"

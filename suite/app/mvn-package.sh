#!/bin/sh
# Builds what pom.xml says. Where its artifacts cannot be had, it exits with 69 (EX_UNAVAILABLE) and says why in
# the last line.
set -eu

mvn --batch-mode --no-transfer-progress -Dstyle.color=never package || {
    mvn --batch-mode --quiet -Dstyle.color=never dependency:resolve >&2 && exit 1
    echo 'the artifacts of pom.xml cannot be had (mirrors in settings.xml)' >&2
    exit 69
}

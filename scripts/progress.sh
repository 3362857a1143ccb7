#!/bin/sh
# What a long command prints becomes one line of progress: rewritten on a terminal, elsewhere one every 10 s.
# Usage: COMMAND 2>&1 | progress.sh apt|cargo|pip LOG [TOTAL]
# All of it goes to LOG.
set -u
of=$1 log=$2 total=${3:-}
count=0 shown_s=$(date +%s) terminal=""
[ -t 2 ] && terminal=yes

show() {
    if [ -n "$terminal" ]; then
        printf '\r\033[K%.110s' "setup: $1" >&2
    else
        now_s=$(date +%s)
        [ $((now_s - shown_s)) -ge 10 ] || return
        shown_s=$now_s
        echo "setup: $1" >&2
    fi
}

counted() {
    count=$((count + 1))
    [ -n "$total" ] && [ "$count" -le "$total" ] && show "$1 $count of $total: $2" || show "$1 $count: $2"
}

: >"$log"
while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $of:$line in
    # apt's Status-Fd: what:package:percent:sentence
    apt:dlstatus:* | apt:pmstatus:*)
        rest=${line#*:} rest=${rest#*:}
        show "system packages, ${rest%%.*}%: ${rest#*:}"
        ;;
    cargo:*Downloaded\ *) counted "downloading Rust libraries," "${line#*Downloaded }" ;;
    cargo:*Compiling\ *) counted "compiling our programs," "${line#*Compiling }" ;;
    pip:Collecting\ * | pip:Requirement\ already\ satisfied:\ *)
        name=${line#Collecting } name=${name#Requirement already satisfied: }
        counted "Python packages," "${name%% *}"
        ;;
    pip:*Downloading\ *) show "Python packages, downloading ${line#*Downloading }" ;;
    pip:Building\ * | pip:Installing\ collected*) show "Python packages, $(printf '%.60s' "$line")" ;;
    esac
done
[ -z "$terminal" ] || printf '\r\033[K' >&2

#!/bin/sh
# Make sure that a Chromium is there for the dashboard's tests; print its path.
#
# TRACKER_CHROMIUM names one to use. Else the system's is taken; where there is none, Debian's package is
# installed, which needs root or sudo. Nothing is downloaded from anywhere else.
set -eu

find_chromium() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name" 2>/dev/null; then return 0; fi
    done
    return 1
}

if [ -n "${TRACKER_CHROMIUM:-}" ]; then
    [ -x "$TRACKER_CHROMIUM" ] || { echo "TRACKER_CHROMIUM=$TRACKER_CHROMIUM cannot be run" >&2; exit 1; }
    echo "$TRACKER_CHROMIUM"
    exit 0
fi
if find_chromium; then exit 0; fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "no Chromium found and no apt-get to install it: install one, or set TRACKER_CHROMIUM" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "installing Chromium needs root: apt-get install chromium" >&2; exit 1; }
    as_root="sudo"
fi
{
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium
} >&2
find_chromium

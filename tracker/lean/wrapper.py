"""The `lean` that Lake is told to run: it runs the real one and leaves an exact record.

Lake's own hook (`LAKE_OVERRIDE_LEAN=true LEAN=this`) starts this file as `python -I -S`. Calls that
check no module (`--print-prefix`, `--githash`, …) are handed on. A call with `-o` runs the real
`lean` as a child, copies what it says both to Lake and to a file, and writes, when the child has
ended, one record: wall clock, user and system seconds, peak resident bytes and page faults of that
one process (`wait4`), exit code or signal. Standard library only, few imports: it is paid for by
every module.

Environment: `TRACKER_REAL_LEAN` the program to run, `TRACKER_RECORDS` the directory for records,
`TRACKER_INSTRUCTIONS` (set at all) to count instructions where the system allows it.
Files there: `PID.active` (the process id of a `lean` at work, and its arguments), `PID.out`, `PID.err`,
and `PID.record`, a Python literal; `tracker.lean.records` reads them.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_KEEP_BYTES = 64 * 1024 * 1024
_LIBSTDBUF = ("/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so")


def _line_buffered(environment: dict[str, str]) -> dict[str, str]:
    """Ask for line buffering: a `lean` killed on a pipe otherwise loses all that it had said."""
    for path in _LIBSTDBUF:
        if os.path.exists(path):
            preload = environment.get("LD_PRELOAD")
            environment["LD_PRELOAD"] = f"{preload}:{path}" if preload else path
            environment["_STDBUF_O"] = "L"
            break
    return environment


def _spawn(program: str, args: list[str]) -> tuple[int, int, int]:
    """Start `lean`; return its process id and the read ends of its two streams."""
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    pid = os.posix_spawn(
        program,
        [program, *args],
        _line_buffered(dict(os.environ)),
        file_actions=[
            (os.POSIX_SPAWN_DUP2, out_write, 1),
            (os.POSIX_SPAWN_DUP2, err_write, 2),
            (os.POSIX_SPAWN_CLOSE, out_read),
            (os.POSIX_SPAWN_CLOSE, err_read),
            (os.POSIX_SPAWN_CLOSE, out_write),
            (os.POSIX_SPAWN_CLOSE, err_write),
        ],
        # Handlers are reset by exec, ignored signals are not.
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGPIPE],
    )
    os.close(out_write)
    os.close(err_write)
    return pid, out_read, err_read


def _copy(pid: int, streams: dict[int, tuple[int, int]]) -> None:
    """Copy each stream to Lake and to its file until all are closed; end `lean` if Lake is gone."""
    parent = os.getppid()
    room = dict.fromkeys(streams, _KEEP_BYTES)
    while streams:
        ready, _, _ = select.select(list(streams), [], [], 1.0)
        if os.getppid() != parent:
            os.kill(pid, signal.SIGKILL)
            return
        for source in ready:
            chunk = os.read(source, 65536)
            if not chunk:
                del streams[source]
                continue
            onward, kept = streams[source]
            os.write(kept, chunk[: room[source]])
            room[source] = max(0, room[source] - len(chunk))
            _write_all(onward, chunk)


def _write_all(fd: int, data: bytes) -> None:
    """Write all of `data`; a reader that has gone is not `lean`'s failure."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BrokenPipeError:
            return


def _counter() -> Callable[[], int | None]:
    """Start to count instructions where that is asked for; return what says how many there were."""
    if "TRACKER_INSTRUCTIONS" not in os.environ:
        return lambda: None
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import counter  # type: ignore[import-not-found]

    try:
        descriptor = counter.open_counter()
    except OSError:
        return lambda: None
    return lambda: int(counter.read_counter(descriptor))


def _write(path: str, text: str) -> None:
    """Write a file that nobody sees half of."""
    with open(path + ".tmp", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.rename(path + ".tmp", path)


def _check(program: str, args: list[str], records: str) -> int:
    """Run one check and record it; return its wait status."""
    stem = os.path.join(records, str(os.getpid()))
    out_file = os.open(stem + ".out", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    err_file = os.open(stem + ".err", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    # The driver ends `lean` by a signal to the whole group; the wrapper stays to write its record.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, lambda *_: None)
    counter = _counter()
    started_at, start = time.time(), time.monotonic()
    pid, out_read, err_read = _spawn(program, args)
    _write(stem + ".active", f"{pid}\n{args!r}")
    _copy(pid, {out_read: (1, out_file), err_read: (2, err_file)})
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - start
    os.unlink(stem + ".active")
    record = {
        "args": args,
        "pid": pid,
        "started_at": started_at,
        "wall_s": wall,
        "user_s": usage.ru_utime,
        "system_s": usage.ru_stime,
        "peak_rss_bytes": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "minor_faults": usage.ru_minflt,
        "major_faults": usage.ru_majflt,
        "instructions": counter(),
        "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
    }
    _write(stem + ".record", repr(record))
    return status


def main(args: list[str]) -> None:
    """Act as `lean ARGS` and end as the real one ended (128 + signal when it was killed)."""
    program = os.environ["TRACKER_REAL_LEAN"]
    records = os.environ.get("TRACKER_RECORDS")
    if records is None or "-o" not in args:
        os.execv(program, [program, *args])
    status = _check(program, args, records)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Supervised processes: own process group, wall and memory limits, exact costs, nothing left behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, Literal
from uuid import uuid4

import psutil

from tracker.errors import LeanError
from tracker.lean import guard as guard_script
from tracker.machine import available_bytes

Limit = Literal["wall", "memory", "machine-memory", "interrupted"]

_GRACE_S = 2.0
_DRAIN_S = 0.3


@dataclass(frozen=True)
class Limits:
    """What a supervised process may use. None means no limit of its own."""

    wall_s: float | None = None
    memory_bytes: int | None = None
    """Resident memory of the heaviest watched process."""
    reserve_bytes: int = 512 * 2**20
    """The process is stopped before the machine has less than this available."""
    output_bytes: int = 32 * 2**20
    """Of each stream the first and last halves of this are kept; the rest is read and dropped."""


@dataclass(frozen=True)
class Memory:
    """One reading of a process: seconds since its start, resident and anonymous bytes."""

    at_s: float
    rss_bytes: int
    anon_bytes: int | None


@dataclass(frozen=True)
class Outcome:
    """How a supervised process ended. Costs are those of the process and of the children it waited for."""

    exit_code: int | None
    signal: int | None
    limit: Limit | None
    wall_s: float
    user_s: float
    system_s: float
    peak_rss_bytes: int
    stdout: bytes
    stderr: bytes
    dropped_bytes: int


class HeadTail:
    """Keeps the first and the last bytes of a stream of any length, and counts what lies between."""

    def __init__(self, room: int) -> None:
        self._half = room // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.dropped = 0

    def add(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        space = self._half - len(self._head)
        self._head += chunk[:space]
        self._tail += chunk[space:] if space < len(chunk) else b""
        if len(self._tail) > 2 * self._half:
            excess = len(self._tail) - self._half
            self.dropped += excess
            del self._tail[:excess]

    def value(self) -> bytes:
        """Return what was kept, with a line in place of what was dropped."""
        gap = f"\n[... {self.dropped} bytes dropped ...]\n".encode() if self.dropped else b""
        return bytes(self._head) + gap + bytes(self._tail)


@dataclass
class Supervisor:
    """Starts processes under one nonce and one guard, so that none outlives the driver.

    Use as a context manager. `environment` is what every process gets besides the nonce. Threads may call
    `run` at the same time; `stop` ends what each of them has at work.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    nonce: str = field(default_factory=lambda: uuid4().hex)
    _guard: subprocess.Popen[str] | None = field(default=None, init=False)
    _stopped: threading.Event = field(default_factory=threading.Event, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _in_use: dict[int, int] = field(default_factory=dict, init=False)
    _jobs: Iterator[int] = field(default_factory=count, init=False)

    def __enter__(self) -> Supervisor:
        # The guard must not carry the nonce, and must survive the terminal's Ctrl-C.
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", guard_script.__file__, self.nonce],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # who reads our output waits for every process that holds it
            text=True,
            start_new_session=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        guard_script.sweep(self.nonce, signal.SIGKILL)
        if self._guard is not None:
            self._tell("bye")
            with contextlib.suppress(BrokenPipeError):
                self._pipe.close()
            try:
                self._guard.wait(_GRACE_S)
            except subprocess.TimeoutExpired:  # somebody has stopped it
                self._guard.kill()
                self._guard.wait()

    @property
    def _pipe(self) -> IO[str]:
        if self._guard is None or self._guard.stdin is None:
            raise RuntimeError("the supervisor is used outside its `with` block")
        return self._guard.stdin

    def _tell(self, word: str) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):  # a killed guard must not end the run
            self._pipe.write(word + "\n")
            self._pipe.flush()

    def stop(self) -> None:
        """End everything at work, as an interruption does, and start nothing more."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Return whether `stop` was called."""
        return self._stopped.is_set()

    def is_heaviest(self, pid: int, rss_bytes: int) -> bool:
        """Return whether the job of process `pid` uses the most of all at work: it must make room first."""
        with self._lock:
            self._in_use[pid] = rss_bytes
            return max(self._in_use, key=lambda job: (self._in_use[job], job)) == pid

    def run(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        extra: Mapping[str, str] | None = None,
        limits: Limits = Limits(),
        watch: Callable[[], Sequence[int]] | None = None,
        on_memory: Callable[[int, Memory], None] | None = None,
    ) -> Outcome:
        """Run `command` to its end or to a limit and return its outcome.

        `watch` names the processes whose memory counts (default: the command itself); each reading is
        given to `on_memory` with the process id. Raises LeanError when the program cannot be started, and
        lets KeyboardInterrupt through after everything was ended.
        """
        job = f"{self.nonce}-{next(self._jobs)}"
        environment = {
            **self.environment, **(extra or {}),
            guard_script.NONCE_VARIABLE: self.nonce, guard_script.JOB_VARIABLE: job,
        }  # fmt: skip
        try:
            child = subprocess.Popen(
                command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise LeanError(
                "CANNOT-START",
                f"{command[0]} could not be started: {error.strerror or error}",
                "`tracker doctor` says which toolchain is used and what is missing",
            ) from error
        self._tell(f"+{child.pid}")
        session = _Session(child, limits, watch or (lambda: (child.pid,)), on_memory, self)
        try:
            session.follow()
        except BaseException:
            session.limit = "interrupted"
            raise
        finally:
            self._end(session, job)
            self._tell(f"-{child.pid}")
            with self._lock:
                self._in_use.pop(child.pid, None)
        return session.outcome()

    def _end(self, session: _Session, job: str) -> None:
        """End the group and every stray carrier of the job's nonce: ask, wait, then kill."""
        if session.limit is not None:
            guard_script.end_group(session.pid, signal.SIGTERM)
            session.drain(_GRACE_S)
        guard_script.end_group(session.pid, signal.SIGKILL)
        session.reap()
        for _ in range(100):
            if not guard_script.sweep(job, signal.SIGKILL, guard_script.JOB_VARIABLE):
                break
            time.sleep(0.01)
        session.close()


class _Session:
    """One supervised process while it runs."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        limits: Limits,
        watch: Callable[[], Sequence[int]],
        on_memory: Callable[[int, Memory], None] | None,
        supervisor: Supervisor,
    ) -> None:
        self.pid = child.pid
        self.limit: Limit | None = None
        self._child = child
        self._limits = limits
        self._watch = watch
        self._on_memory = on_memory
        self._supervisor = supervisor
        self._start = time.monotonic()
        self._wall_s = 0.0
        self._status: int | None = None
        self._usage: tuple[float, float, int] = (0.0, 0.0, 0)
        self._kept = {name: HeadTail(limits.output_bytes) for name in ("stdout", "stderr")}
        self._selector = selectors.DefaultSelector()
        for name in self._kept:
            self._selector.register(getattr(child, name), selectors.EVENT_READ, name)
        self._pidfd = _pidfd(child.pid)
        if self._pidfd is not None:
            self._selector.register(self._pidfd, selectors.EVENT_READ, None)

    def follow(self) -> None:
        """Read the streams and the memory until the process ends or a limit is passed."""
        pause = 0.01
        while not self.reap(block=False):
            self._read(pause)
            pause = min(0.1, pause * 1.5)
            self.limit = self._passed_limit()
            if self.limit is not None:
                return
        self.drain(_DRAIN_S)

    def _passed_limit(self) -> Limit | None:
        elapsed = time.monotonic() - self._start
        heaviest = 0
        for pid in self._watch():
            reading = read_memory(pid, elapsed)
            if reading is None:
                continue
            heaviest = max(heaviest, reading.rss_bytes)
            if self._on_memory is not None:
                self._on_memory(pid, reading)
        if self._limits.wall_s is not None and elapsed > self._limits.wall_s:
            return "wall"
        if self._limits.memory_bytes is not None and heaviest > self._limits.memory_bytes:
            return "memory"
        if self._supervisor.stopped:
            return "interrupted"
        short = available_bytes() < self._limits.reserve_bytes
        return "machine-memory" if self._supervisor.is_heaviest(self.pid, heaviest) and short else None

    def _read(self, timeout: float) -> bool:
        """Read what is there, waiting at most `timeout` seconds; return whether anything came."""
        came = False
        for key, _ in self._selector.select(timeout):
            if key.data is None:
                continue
            chunk = os.read(key.fd, 1 << 18)
            came = True
            if chunk:
                self._kept[key.data].add(chunk)
            else:
                self._selector.unregister(key.fileobj)
        return came

    def drain(self, seconds: float) -> None:
        """Read on for at most `seconds`: until both streams are closed, or the process is long gone."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and any(k.data for k in self._selector.get_map().values()):
            if not self._read(0.02) and self.limit is not None:
                self.reap(block=False)

    def reap(self, *, block: bool = True) -> bool:
        """Collect exit status and costs; return whether the process has ended."""
        if self._status is None:
            pid, status, usage = os.wait4(self.pid, 0 if block else os.WNOHANG)
            if pid == 0:
                return False
            self._wall_s = time.monotonic() - self._start
            self._status = status
            self._usage = (usage.ru_utime, usage.ru_stime, _peak(usage.ru_maxrss))
            self._child.returncode = os.waitstatus_to_exitcode(status)  # Popen must not wait again
            if self._pidfd is not None:
                self._selector.unregister(self._pidfd)
                os.close(self._pidfd)
                self._pidfd = None
        return True

    def close(self) -> None:
        """Close the streams."""
        self._selector.close()
        for stream in (self._child.stdout, self._child.stderr):
            if stream is not None:
                stream.close()

    def outcome(self) -> Outcome:
        """Return how it ended; call it after the process was reaped."""
        status = self._status
        if status is None:
            raise RuntimeError("outcome of a process that has not ended")
        user, system, peak = self._usage
        return Outcome(
            exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            limit=self.limit,
            wall_s=self._wall_s,
            user_s=user,
            system_s=system,
            peak_rss_bytes=peak,
            stdout=self._kept["stdout"].value(),
            stderr=self._kept["stderr"].value(),
            dropped_bytes=sum(kept.dropped for kept in self._kept.values()),
        )


def _pidfd(pid: int) -> int | None:
    """Return a descriptor that becomes readable when `pid` ends, where the system has such a thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _peak(maxrss: int) -> int:
    """Return `ru_maxrss` in bytes: Linux counts KiB, macOS bytes (getrusage(2))."""
    return maxrss if sys.platform == "darwin" else maxrss * 1024


def read_memory(pid: int, at_s: float) -> Memory | None:
    """Return the resident and anonymous memory of `pid` now, or None when it has ended.

    On Linux from `/proc/PID/status` (proc(5): VmRSS, RssAnon, in kB), elsewhere by psutil.
    """
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            fields = dict(_memory_fields(file))
    except FileNotFoundError:
        return None if Path("/proc/self").exists() else _read_memory_by_psutil(pid, at_s)
    except OSError:
        return None
    if "VmRSS" not in fields:
        return None  # a zombie has no memory
    return Memory(at_s, fields["VmRSS"], fields.get("RssAnon"))


def _read_memory_by_psutil(pid: int, at_s: float) -> Memory | None:
    try:
        return Memory(at_s, psutil.Process(pid).memory_info().rss, None)
    except psutil.Error:
        return None


def _memory_fields(lines: IO[str]) -> Iterator[tuple[str, int]]:
    for line in lines:
        name, _, rest = line.partition(":")
        if name in ("VmRSS", "RssAnon"):
            yield name, int(rest.split()[0]) * 1024

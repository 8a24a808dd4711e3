"""Building: which modules are out of date, running `lean` on them side by side, keeping the files true.

While a module is being built it has no trace, so a build that is killed at any point leaves a module that
is built anew, never one whose trace and `.olean` are of different sources. A build that fails leaves the
old trace in place, as Lake does.
"""

from __future__ import annotations

import heapq
import os
import time

from tracker.embedded.lake import lean, process, trace
from tracker.embedded.lake.graph import Graph, Node, closure
from tracker.embedded.lake.job import BUILD, REPLAY
from tracker.embedded.lake.log import ERROR, TRACE, WARNING, io_error
from tracker.embedded.lake.monitor import Monitor
from tracker.embedded.lake.options import Options
from tracker.embedded.lake.source import read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracker.embedded.lake.trace import Inputs

_POLL_S = 0.05


class _Run:
    """A module that `lean` is at work on."""

    __slots__ = ("child", "node", "old_trace", "olean", "started")

    def __init__(self, node: Node, child: process.Child, old_trace: str | None, olean: object) -> None:
        self.node = node
        self.child = child
        self.old_trace = old_trace
        self.olean = olean
        self.started = time.monotonic()


class Builder:
    """Builds the nodes of a graph and reports each to the monitor when it is done."""

    def __init__(self, graph: Graph, options: Options, monitor: Monitor) -> None:
        self._graph = graph
        self._workspace = graph.workspace
        self._options = options
        self._monitor = monitor
        self._order = {id(node): number for number, node in enumerate(graph.nodes)}
        self._waiting = {id(node): len(node.deps) for node in graph.nodes}
        self._importers: dict[int, list[Node]] = {}
        for node in graph.nodes:
            for dep in node.deps:
                self._importers.setdefault(id(dep), []).append(node)
        self._ready = [
            number for number, node in enumerate(graph.nodes) if not node.deps or node.job.ok is False
        ]
        self._pending: list[int] = []
        self._running: dict[int, _Run] = {}
        self._done: set[int] = set()
        install = self._workspace.install
        self._lean_hash = trace.mix(install.githash, install.stamp)
        self._log_from = min(options.out_level, options.fail_level)

    def run(self) -> None:
        """Build all nodes. Raises Interrupted after ending what was running."""
        slots = _slots()
        try:
            while self._ready or self._pending or self._running:
                process.check_signals()
                while self._ready:
                    self._process(self._graph.nodes[heapq.heappop(self._ready)])
                while self._pending and len(self._running) < slots:
                    self._start(self._graph.nodes[heapq.heappop(self._pending)])
                if not self._ready and self._running:
                    self._wait()
        except process.Interrupted:
            self._abandon()
            raise
        self._monitor.clear()

    # One node

    def _process(self, node: Node) -> None:
        """Finish a node whose dependencies are done, or put it in line for `lean`."""
        if id(node) in self._done:
            return
        if node.job.ok is False or any(dep.job.ok is False for dep in node.deps):
            self._finish(node, False)
        elif node.module is None:
            self._finish(node, True)
        else:
            try:
                self._check(node)
            except OSError as error:
                node.job.log.append((ERROR, io_error(error)))
                self._finish(node, False)

    def _check(self, node: Node) -> None:
        """Finish a module that is up to date; the others have to be built."""
        assert node.module is not None
        assert node.source is not None
        assert node.source.header is not None
        node.dep_hash = self._dep_hash(node)
        saved = trace.read(node.module.trace)
        if isinstance(saved, str):
            node.job.log.append((WARNING, f"{node.module.trace}: {saved}"))
        elif saved is not None and saved.dep_hash == node.dep_hash:
            files = node.module.artifacts(node.source.header.is_module).values()
            if all(os.access(file, os.F_OK) for file in files):
                node.job.action = REPLAY
                node.job.log += saved.log(self._log_from)
                self._hash_outputs(node)
                self._finish(node, True)
                return
        if self._options.no_build:
            node.job.action = BUILD
            node.job.wants_rebuild = True
            node.job.log.append((ERROR, "target is out-of-date and needs to be rebuilt"))
            self._finish(node, False)
        else:
            heapq.heappush(self._pending, self._order[id(node)])

    def _finish(self, node: Node, ok: bool) -> None:
        node.job.ok = ok
        self._done.add(id(node))
        self._monitor.report(node.job)
        for importer in self._importers.get(id(node), ()):
            self._waiting[id(importer)] -= 1
            if not self._waiting[id(importer)]:
                heapq.heappush(self._ready, self._order[id(importer)])

    # Hashes

    def _dep_hash(self, node: Node) -> str:
        assert node.module is not None
        assert node.source is not None
        config = node.module.config
        imports = [text for dep in node.deps for text in (dep.trans_hash, dep.art_hash)]
        options = [lean.option_flag(option) for option in config.lean_options]
        return trace.mix(
            trace.mix(*imports),
            self._lean_hash,
            node.source.hash,
            trace.mix(*options),
            trace.mix(*config.more_lean_args),
        )

    def _inputs(self, node: Node) -> Inputs:
        assert node.module is not None
        assert node.source is not None
        config, install = node.module.config, self._workspace.install
        imports: Inputs = [
            (dep.module.name, trace.mix(dep.trans_hash, dep.art_hash)) for dep in node.deps if dep.module
        ]
        flags = [lean.option_flag(option) for option in config.lean_options]
        args = ", ".join(config.more_lean_args)
        return [
            (f"{node.module.name}:deps", [("imports", imports)]),
            (f"Lean {install.version}, commit {install.githash}", self._lean_hash),
            (node.module.source, node.source.hash),
            ("options", [(flag, trace.digest(flag.encode())) for flag in flags]),
            (f"Module.leanArgs: #[{args}]", trace.mix(*config.more_lean_args)),
        ]

    def _hash_outputs(self, node: Node, fresh: bool = False) -> dict[str, str]:
        """Set what importers depend on; return the hashes that were looked at. Raises OSError."""
        assert node.module is not None
        assert node.source is not None
        assert node.source.header is not None
        is_module = node.source.header.is_module
        files = node.module.artifacts(is_module)
        rehash = fresh or self._options.rehash
        wanted = files if rehash else {key: file for key, file in files.items() if key not in ("i", "c")}
        hashes = {key: trace.file_hash(file, trust=not rehash) for key, file in wanted.items()}
        node.art_hash = trace.mix(*[hashes[key] for key in files if key not in ("i", "c")])
        node.trans_hash = trace.mix(*[text for dep in node.deps for text in (dep.trans_hash, dep.art_hash)])
        return hashes

    # Lean

    def _start(self, node: Node) -> None:
        assert node.module is not None
        node.job.action = BUILD
        try:
            old = self._prepare(node)
        except OSError as error:
            node.job.log.append((ERROR, io_error(error)))
            self._finish(node, False)
            return
        environment = {"LEAN_PATH": self._workspace.lib_dir}
        args = lean.build_args(self._workspace.install.lean, node.module)
        node.job.log.append((TRACE, lean.command_line(environment, args)))
        with process.signals_held():
            child = process.Child(args, {**os.environ, **environment})
            self._running[child.pid] = _Run(node, child, old, _identity(node.module.olean))
        import json  # noqa: F401 - needed when lean is done; until then there is time

    def _prepare(self, node: Node) -> str | None:
        """Write the setup file and take the trace away; return its text. Raises OSError."""
        assert node.module is not None
        assert node.source is not None
        assert node.source.header is not None
        module = node.module
        for file in (module.olean, module.setup):
            os.makedirs(os.path.dirname(file), exist_ok=True)
            _sweep(file)
        below = closure(node.deps)
        imports = {
            n.module.name: n.module.import_files(
                bool(n.source and n.source.header and n.source.header.is_module)
            )
            for n in below
            if n.module
        }
        text = lean.setup_json(module.name, node.source.header.is_module, imports, module.config.lean_options)
        trace.write_whole(module.setup, text)
        try:
            with open(module.trace, encoding="utf-8", errors="surrogateescape") as saved:
                old = saved.read()
        except FileNotFoundError:
            return None
        os.unlink(module.trace)
        return old

    def _wait(self) -> None:
        """Wait for one `lean` to end and finish its module."""
        process.check_signals()
        if not self._monitor.animated:
            pid, status = os.waitpid(-1, 0)
        else:
            while not (ended := os.waitpid(-1, os.WNOHANG))[0]:
                runs = self._running.values()
                self._monitor.progress([run.node.job.caption for run in runs])
                time.sleep(_POLL_S)
                process.check_signals()
            pid, status = ended
        run = self._running.pop(pid, None)
        if run is not None:
            self._built(run, process.exit_code(status))

    def _built(self, run: _Run, code: int) -> None:
        node = run.node
        assert node.module is not None
        node.job.log += lean.entries(*run.child.output(), code, node.module.relative)
        try:
            if code:
                self._put_back(run)
            else:
                self._keep(node)
        except OSError as error:
            node.job.log.append((ERROR, io_error(error)))
            code = code or 1
        node.job.milliseconds = int((time.monotonic() - run.started) * 1000)
        self._finish(node, code == 0)

    def _keep(self, node: Node) -> None:
        """Write the hashes and the trace of a module that was built. Raises OSError."""
        assert node.module is not None
        assert node.source is not None
        hashes = self._hash_outputs(node, fresh=True)
        if read_source(node.module.source).hash != node.source.hash:
            # What `lean` has read is not known: with a trace it could pass for the other text.
            message = f"{node.module.relative}: changed while it was built; it will be built again"
            node.job.log.append((WARNING, message))
            return
        log = [entry for entry in node.job.log if not entry[1].startswith(f"{node.module.trace}: ")]
        trace.write(node.module.trace, node.dep_hash, self._inputs(node), _outputs(hashes), log)

    def _put_back(self, run: _Run) -> None:
        """Restore the trace of a module that was not built, unless `lean` had written already."""
        module = run.node.module
        assert module is not None
        if run.old_trace is not None and _identity(module.olean) == run.olean:
            trace.write_whole(module.trace, run.old_trace)
        _sweep(module.olean)

    def _abandon(self) -> None:
        """End every `lean` at work and leave the files as they were."""
        self._monitor.clear()
        process.end(list(self._running))
        for run in self._running.values():
            try:
                self._put_back(run)
            except OSError:
                continue


def _outputs(hashes: dict[str, str]) -> str:
    """Return the description of the outputs as Lake writes it into traces."""
    oleans = ",".join([f'"{hashes[key]}.{end}"' for key, end in _OLEANS if key in hashes])
    parts = [f'"o":[{oleans}]', f'"i":"{hashes["i"]}.ilean"', f'"c":"{hashes["c"]}.c"']
    if "r" in hashes:
        parts.append(f'"r":"{hashes["r"]}.ir"')
    return "{" + ",".join([*parts, f'"m":{"true" if "r" in hashes else "false"}']) + "}"


_OLEANS = (("o", "olean"), ("os", "olean.server"), ("op", "olean.private"))


def _identity(path: str) -> object:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _sweep(file: str) -> None:
    """Remove what killed programs leave beside a module's file: outputs are written as NAME.tmp.PID first."""
    directory, name = os.path.split(file)
    stem = name.partition(".")[0] + "."
    for entry in os.listdir(directory):
        if entry.startswith(stem) and ".tmp." in entry and not _alive(entry.rpartition(".")[2]):
            trace.remove(os.path.join(directory, entry))


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except OSError:
        return True
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] != b"Z"  # dead, but nobody has asked for its status
    except OSError:
        return True


def _slots() -> int:
    """Return how many `lean` may run at a time: LEAN_NUM_THREADS, else one for each processor."""
    given = os.environ.get("LEAN_NUM_THREADS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return os.cpu_count() or 1

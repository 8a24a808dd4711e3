"""Single files: `lake lean FILE` and `lake setup-file` for the language server (Lake's `CLI/Serve`)."""

from __future__ import annotations

import os

from tracker.embedded.lake import lean
from tracker.embedded.lake.graph import Graph, Node, closure
from tracker.embedded.lake.log import LakeError, Stream
from tracker.embedded.lake.options import Options
from tracker.embedded.lake.process import become, unnamed_file
from tracker.embedded.lake.source import Source, read_source
from tracker.embedded.lake.workspace import Module, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracker.lean.header import Header


def run_lean(workspace: Workspace, options: Options, file: str) -> int:
    """Build what the file imports and run `lean` on it, in place of this process."""
    path = os.path.realpath(file)
    if not os.path.exists(path):
        raise LakeError(f"file not found: {file}")
    module = workspace.module_of_source(path)
    source = read_source(path, file)
    setup = _prepare(workspace, options, f"prepare lean {file}", (file, module, source))
    # A file in memory: `lean` reads it, nobody has to remove it, and it lives as long as the process.
    descriptor = unnamed_file("setup.json")
    os.write(descriptor, setup.encode())
    os.set_inheritable(descriptor, True)
    config = module.config if module else workspace.lakefile.config
    args = [*config.more_lean_args, path, "--setup", f"/dev/fd/{descriptor}", *options.rest]
    environment = {**os.environ, **workspace.environment()}
    return become([workspace.install.lean, *args], environment)


def setup_file(workspace: Workspace, options: Options, file: str, header: str | None) -> int:
    """Build what an edited file imports and print how `lean` is to see it, as one line of JSON."""
    path = os.path.realpath(file)
    source = read_source(path, file) if header is None else Source(_header(header), "", None)
    setup = _prepare(
        workspace, options, f"setup-file {file}", (file, workspace.module_of_source(path), source)
    )
    Stream(1, False).write(setup)
    return 0


def _prepare(
    workspace: Workspace, options: Options, caption: str, target: tuple[str, Module | None, Source]
) -> str:
    """Build the imports, showing it on standard error; return the setup. Raises LakeError."""
    from tracker.embedded.lake.cli import make_all

    file, module, source = target
    nodes: list[Node] = []

    def plan(graph: Graph) -> None:
        shown, name = (module.relative, module.name) if module else (file, "")
        result = graph.imports_of(shown, name, source)
        nodes.extend(result.nodes)
        graph.collect(caption, result)

    make_all(workspace, options, plan, Stream(2, options.ansi))
    assert source.header is not None
    config = module.config if module else workspace.lakefile.config
    imports = {
        n.module.name: n.module.import_files(bool(n.source and n.source.header and n.source.header.is_module))
        for n in closure(nodes)
        if n.module
    }
    name = module.name if module else "_unknown"
    return lean.setup_json(name, source.header.is_module, imports, config.lean_options)


def _header(text: str) -> Header:
    """Return the header that the server sends: it has parsed a file that is not saved yet."""
    import json
    import sys

    from tracker.lean.header import Header, Import

    if text == "-":
        text = sys.stdin.buffer.readline().decode("utf-8", "replace")
    try:
        data = json.loads(text)
        imports = [
            Import(
                str(item["module"]), 1, bool(item.get("isExported", True)),
                meta=bool(item.get("isMeta")), all=bool(item.get("importAll")),
            )
            for item in data["imports"]
        ]  # fmt: skip
        return Header(bool(data.get("isModule")), False, tuple(imports))
    except json.JSONDecodeError as error:
        raise LakeError(f"failed to parse header JSON: offset {error.pos}: {error.msg.lower()}") from None
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise LakeError("failed to parse header JSON: expected imports, each with a module") from None

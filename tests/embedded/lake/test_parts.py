"""The parts of the embedded lake that need no Lean."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.embedded.lake import lean, trace
from tracker.embedded.lake.job import BUILD, Job
from tracker.embedded.lake.log import ERROR, INFO, TRACE, WARNING, LakeError, Stream
from tracker.embedded.lake.monitor import Monitor, format_time
from tracker.embedded.lake.options import Arguments, Options
from tracker.embedded.lake.workspace import Module

WORDS = st.sampled_from(
    ["-", "--", "-d", "-q", "-qv", "--dir", "--dir=a", "--wfail", "build", "", "-K", "-f=x", "--x"]
)
LOG = st.lists(st.tuples(st.sampled_from([TRACE, INFO, WARNING, ERROR]), st.text()))


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (1, "1ms"), (999, "999ms"), (1000, "1000ms"), (1001, "1.0s"), (1949, "1.9s"), (1950, "1.0s"),
        (1960, "1.0s"), (2049, "2.0s"), (9999, "9.0s"), (10000, "10.0s"), (10001, "10s"), (65999, "65s"),
    ],
)  # fmt: skip
def test_times_are_rounded_as_lake_does(milliseconds: int, text: str) -> None:
    assert format_time(milliseconds) == text


@given(st.lists(WORDS))
def test_any_words_are_options_or_a_lake_error(words: list[str]) -> None:
    arguments = Arguments(words)
    try:
        arguments.leading_options()
        arguments.all_options()
    except LakeError:
        return
    assert not [word for word in arguments.words if word.startswith("-") and word != "-"]


@given(st.binary(), st.binary(), st.integers(0, 255))
def test_any_output_of_lean_becomes_a_log(stdout: bytes, stderr: bytes, code: int) -> None:
    log = lean.entries(stdout, stderr, code, "A.lean")
    assert (log[-1:] == [(ERROR, f"Lean exited with code {code}")]) == bool(code)
    assert all(isinstance(text, str) for _, text in log)


@given(st.lists(st.recursive(st.none() | st.booleans() | st.integers() | st.text(),
                             lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))))  # fmt: skip
def test_json_that_is_no_message_is_kept_as_text(values: list[object]) -> None:
    lines = [json.dumps(value) for value in values if not isinstance(value, dict)]
    text = "".join([line + "\n" for line in lines])
    expected = [(INFO, f"stdout:\n{text}\n")] if text else []
    assert lean.entries(text.encode(), b"", 0, "A.lean") == expected


@given(LOG, st.dictionaries(st.text(), st.text()))
def test_traces_come_back(
    tmp_path_factory: pytest.TempPathFactory, log: list, inputs: dict[str, str]
) -> None:
    path = str(tmp_path_factory.mktemp("trace") / "A.trace")
    trace.write(path, "0123456789abcdef", [("deps", list(inputs.items()))], '{"o":[]}', log)
    data = json.loads(Path(path).read_text())
    assert data["schemaVersion"] == "2025-09-10"
    assert data["inputs"] == [["deps", [list(item) for item in inputs.items()]]]
    saved = trace.read(path)
    assert isinstance(saved, trace.Saved)
    assert saved.dep_hash == "0123456789abcdef"
    assert saved.log(TRACE) == log
    loud = any(level > TRACE for level, _ in log)
    assert saved.log(INFO) == (log if loud else [])


@given(st.binary())
def test_any_file_is_a_trace_or_a_reason(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("trace") / "A.trace"
    path.write_bytes(content)
    found = trace.read(str(path))
    assert isinstance(found, str | trace.Saved)
    assert found
    if isinstance(found, trace.Saved):
        found.log(TRACE)


@given(st.text())
def test_strings_are_quoted_for_json(text: str) -> None:
    assert json.loads(trace.quoted(text)) == text


def test_the_setup_file_is_json() -> None:
    options = (("a.b", True), ("c", 3), ("weak.d", 'x"y'))
    text = lean.setup_json("A.«b-c»", True, {"B": [["/x/B.olean"], []]}, options)
    assert json.loads(text) == {
        "name": "A.«b-c»", "isModule": True, "importArts": {"B": [["/x/B.olean"], []]}, "dynlibs": [],
        "plugins": [], "options": {"a.b": True, "c": 3, "weak.d": 'x"y'},
    }  # fmt: skip


def shown(capfd: pytest.CaptureFixture[str], options: Options, *jobs: Job) -> str:
    monitor = Monitor(Stream(1, bool(options.ansi)), options)
    monitor.total = len(jobs)
    for job in jobs:
        monitor.report(job)
    monitor.footer(show_success=True)
    return capfd.readouterr().out


def job(level: int | None, action: int = BUILD) -> Job:
    made = Job("M")
    made.action = action
    made.milliseconds = 5
    made.log = [] if level is None else [(TRACE, "t"), (level, "x")]
    return made


@pytest.mark.parametrize(
    ("level", "options", "expected"),
    [
        (None, {}, "✔ [0/1] Built M (5ms)\nBuild completed successfully (1 job).\n"),
        (TRACE, {}, "✔ [0/1] Built M (5ms)\nBuild completed successfully (1 job).\n"),
        (INFO, {}, "ℹ [0/1] Built M (5ms)\ninfo: x\nBuild completed successfully (1 job).\n"),
        (WARNING, {}, "⚠ [0/1] Built M (5ms)\nwarning: x\nBuild completed successfully (1 job).\n"),
        (
            ERROR, {},
            "✖ [0/1] Building M (5ms)\ntrace: t\nerror: x\nSome required targets logged failures:\n- M\n",
        ),
        (None, {"ansi": True}, "Build completed successfully (1 job).\n"),
        (None, {"verbosity": 0}, ""),
        (INFO, {"verbosity": 0}, ""),
        (
            INFO, {"fail_level": INFO},
            "ℹ [0/1] Building M (5ms)\ntrace: t\ninfo: x\nSome required targets logged failures:\n- M\n",
        ),
        (
            TRACE, {"verbosity": 2, "ansi": True},
            (
                "\x1b[1;34mℹ [0/1] Built M (5ms)\x1b[m\n\x1b[1;34mtrace:\x1b[m t\n"
                "\x1b[1;34mtrace:\x1b[m x\nBuild completed successfully (1 job).\n"
            ),
        ),
    ],
)  # fmt: skip
def test_what_is_shown_of_a_job(
    capfd: pytest.CaptureFixture[str], level: int | None, options: dict[str, object], expected: str
) -> None:
    given_options = Options()
    for name, value in options.items():
        setattr(given_options, name, value)
    assert shown(capfd, given_options, job(level)) == expected


def test_long_chains_of_imports(tmp_path: Path) -> None:
    """The recursion over facets is several calls deep for each import."""
    from tracker.embedded.lake.graph import Graph
    from tracker.embedded.lake.workspace import Workspace
    from tracker.lean.lakefile import read_lakefile

    count = 3000
    (tmp_path / "lakefile.toml").write_text('name = "demo"\n[[lean_lib]]\nname = "M"\n')
    (tmp_path / "M").mkdir()
    for i in range(count):
        (tmp_path / "M" / f"N{i}.lean").write_text(f"import M.N{i - 1}\n" if i else "")

    class Install:
        pass

    workspace = Workspace(str(tmp_path), read_lakefile(tmp_path), Install())  # type: ignore[arg-type]
    graph = Graph(workspace)
    module = workspace.module(f"M.N{count - 1}")
    assert isinstance(module, Module)
    limit = sys.getrecursionlimit()
    node = graph.lean_arts(module)
    assert sys.getrecursionlimit() == limit
    assert node.job.ok is None
    assert [n.job.caption for n in graph.nodes[:3]] == ["demo:extraDep", "M.N0", "M.N1"]
    assert len(graph.nodes) == count + 1

"""Lake's logs: the grammar in its details, and laws that hold for every log whatever it is."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracker.lean.failures.from_log import classify_log
from tracker.lean.lakelog import LakeLog, LakeLogParser, LogLimits, ModuleLog, read_log, read_trace, time_of
from tracker.lean.log import clean
from tracker.lean.log.grammar import command_options, module_of_file, printed_time, split_caption

FOOTER = "Some required targets logged failures:\n- A.B\nerror: build failed\n"


def read(text: str | bytes, limits: LogLimits | None = None) -> LakeLog:
    return read_log(io.BytesIO(text.encode() if isinstance(text, str) else text), limits)


def only(log: LakeLog) -> ModuleLog:
    [module] = log.modules
    return module


# details


@pytest.mark.parametrize(
    ("text", "seconds", "low", "high"),
    [("837ms", 0.837, 0.837, 0.838), ("1.4s", 1.4, 1.35, 1.45), ("1.0s", 1, 1, 2), ("96s", 96, 96, 97)],
)
def test_a_printed_time_is_an_interval(text: str, seconds: float, low: float, high: float) -> None:
    time = printed_time(text)
    assert time is not None
    assert (time.seconds, time.low, time.high) == pytest.approx((seconds, low, high))


def test_what_is_no_time() -> None:
    assert printed_time("x.ys") is None


@pytest.mark.parametrize(
    ("caption", "parts"),
    [
        ("A.B", ("A.B", "")),
        ("A.B:c.o", ("A.B", "c.o")),
        ("«a-0:1».B", ("«a-0:1».B", "")),
        ("lib/x", ("lib/x", "")),
        ("harbor:exe", ("harbor", "exe")),
    ],
)
def test_captions(caption: str, parts: tuple[str, str]) -> None:
    assert split_caption(caption) == parts


@pytest.mark.parametrize(
    ("path", "known", "module"),
    [
        ("././././A/B.lean", (), "A.B"),
        (".\\.\\A\\B.lean", (), "A.B"),
        ("/home/kai/harbor/A/B.lean", ("A.B", "B"), "A.B"),
        ("/home/kai/harbor/A/B.lean", (), None),
        ("C:\\harbor\\A.lean", ("A",), "A"),
        ("tide-0.0.0/Main.lean", (), "«tide-0.0.0».Main"),
        ("A/B.c", (), None),
        (".lean", (), None),
    ],
)
def test_modules_of_files(path: str, known: Iterable[str], module: str | None) -> None:
    assert module_of_file(path, set(known)) == module


def test_options_of_a_command() -> None:
    command = "lean -DmaxRecDepth=700 -D weak.linter.docPrime=false A.lean --json"
    assert command_options(command) == {"maxRecDepth": "700", "linter.docPrime": "false"}


def test_a_headline() -> None:
    module = only(read("✖ [17/31] (Optional) Building A.B:c.o (2.0s)\nerror: no\n"))
    assert (module.caption, module.module, module.facet) == ("A.B:c.o", "A.B", "c.o")
    assert (module.status, module.verb, module.index, module.total) == ("failed", "Building", 17, 31)
    assert module.optional
    assert module.time is not None
    assert module.time.seconds == 2.0


@pytest.mark.parametrize(
    ("headline", "status"),
    [
        ("✔ [1/2] Built A.B (1.0s)", "built"),
        ("✔ [1/2] Ran A.B:test", "built"),
        ("ℹ [1/2] Replayed A.B", "replayed"),
        ("⚠ [1/2] Replayed A.B", "replayed"),
        ("⚠ [1/2] Replaying A.B", "failed"),
        ("✔ [1/2] Fetched A.B", "fetched"),
        ("✖ [1/2] Replaying A.B", "failed"),
        ("âœ” [1/2] Built A.B", "built"),
        ("? [1/2] Built A.B", "built"),
    ],
)
def test_statuses(headline: str, status: str) -> None:
    assert only(read(f"{headline}\nBuild completed successfully (2 jobs).\n")).status == status


def test_the_footer_names_failures_that_the_log_does_not_show() -> None:
    log = read("Some builds logged failures:\n- A.B\n- C\nerror: build failed\n")
    assert [(m.caption, m.status, m.entries) for m in log.modules] == [
        ("A.B", "failed", ()),
        ("C", "failed", ()),
    ]
    assert log.complete
    assert not log.succeeded


def test_the_summary_of_the_newest_lake() -> None:
    summary = "Build summary:\n  ✔ 1 jobs succeeded\n  ✖ 1 jobs failed\n    A\n    B:c\n"
    log = read(f"✖ [1/2] Building A\nerror: x\n{summary}")
    assert log.failed_captions == ("A", "B:c")
    assert log.complete


def test_a_second_build_in_one_log_takes_the_end_away() -> None:
    done = "✔ [1/1] Built A (1.0s)\nBuild completed successfully (1 job).\n"
    assert read(done).succeeded
    log = read(f"{done}✔ [1/2] Built A (1.0s)\n")
    assert (log.complete, log.succeeded) == (False, False)


def test_the_spinner_tells_what_was_running() -> None:
    log = read("\x1b[2K\r⣾ [12/40] Running A (+ 2 more)\x1b[2K\r⣷ [13/40] Running A.B:olean (+ 1 more)")
    assert [(m.module, m.status) for m in log.modules] == [("A.B", "running")]
    assert not log.complete


def test_a_log_cut_short_is_not_complete() -> None:
    assert not read("✖ [1/2] Building A.B\nerror: A/B.lean:1:2: no").complete
    assert read(f"✖ [1/2] Building A.B\nerror: A/B.lean:1:2: no\n{FOOTER}").complete
    assert not read("").complete


def test_entries_of_another_module_go_to_it() -> None:
    log = read(
        "✖ [1/2] Building A.One\nerror: A/Two.lean:1:0: theirs\nerror: A/One.lean:1:0: ours\n"
        "✖ [2/2] Building A.Two\nerror: Lean exited with code 1\n"
    )
    assert [[e.text for e in m.entries] for m in log.modules] == [
        ["A/One.lean:1:0: ours"],
        ["A/Two.lean:1:0: theirs", "Lean exited with code 1"],
    ]


def test_old_lake_interleaves() -> None:
    log = read(
        "info: [1/3] Building A\n[2/3] Building B\n"
        "error: > LEAN_PATH=. /x/lean -DmaxRecDepth=9 ././A.lean -R . -o A.olean\n"
        "[3/3] Building C\nerror: stdout:\n././A.lean:1:0: error: no\nmore of it\n"
        "error: external command `/x/lean` exited with code 1\n"
    )
    a, b, c = log.modules
    assert (a.caption, a.status, a.exit_code) == ("A", "failed", 1)
    assert a.command is not None
    assert command_options(a.command) == {"maxRecDepth": "9"}
    assert [(m.caption, m.status) for m in (b, c)] == [("B", "built"), ("C", "built")]


def test_a_runners_lines_are_notes_and_no_failures() -> None:
    log = read(
        "##[group]Run\n::error file=A.lean,line=1::boom\n✔ [1/1] Built A\nBuild completed successfully.\n"
    )
    assert [entry.text for entry in log.notes] == ["##[group]Run", "::error file=A.lean,line=1::boom"]
    assert classify_log(log).passed


def test_the_encodings_of_redirections() -> None:
    text = "✖ [1/1] Building A.B\nerror: A/B.lean:1:0: naïve ℕ\n" + FOOTER
    for data in (text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode(), text.encode()):
        assert [entry.text for entry in only(read(data)).entries] == ["A/B.lean:1:0: naïve ℕ"]


def test_a_line_of_megabytes_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean, "MAX_LINE", 100)
    log = read("✖ [1/1] Building A.B\nerror: A/B.lean:1:0: " + "x" * 5000 + "\n" + FOOTER)
    [entry] = only(log).entries
    assert entry.text.endswith("x[4921 further bytes left out]")


def test_limits_count_what_they_leave_out() -> None:
    limits = LogLimits(entry_bytes=40, total_bytes=200, error_bytes=120, failed_jobs=3, lines=2)
    text = "".join(f"⚠ [1/9] Built M{i}\nwarning: M{i}.lean:1:0: {'w' * 30}\n" for i in range(9))
    log = read(text, limits)
    assert [(m.caption, len(m.entries)) for m in log.modules] == [("M0", 1), ("M1", 1)]
    assert log.counts() == {"warning": 9}
    assert log.omitted["jobs"] == 7
    errors = "✖ [1/1] Building A\n" + "".join(f"error: A.lean:{i}:0: {'e' * 30}\n" for i in range(9))
    failed = only(read(errors, limits))
    assert failed.cut
    assert 0 < len(failed.entries) < 9
    assert read(errors, limits).counts() == {"error": 9}
    doubts = classify_log(read(errors, limits)).doubts
    assert any("too many to keep" in doubt for doubt in doubts)


@pytest.mark.parametrize(
    "data",
    [
        {"depHash": "1", "log": [{"level": "warning", "message": "A.lean:1:0: x"}]},
        [{"level": "warning", "message": "A.lean:1:0: x"}, {"level": 3}, "y"],
    ],
)
def test_stored_logs(data: object) -> None:
    log = read_trace(json.dumps(data).encode())
    assert log is not None
    assert [(entry.level, entry.text) for entry in log.loose] == [("warning", "A.lean:1:0: x")]


@pytest.mark.parametrize("data", [b"1234567890", b"{}", b"not json", b"[" * 100_000, b'{"log": 3}'])
def test_files_without_a_stored_log(data: bytes) -> None:
    assert read_trace(data) is None


# laws

LINES = (
    "✔ [1/9] Built A.One (1.2s)",
    "✔ [2/9] Built A.Two (837ms)",
    "✔ [2/9] Replayed A.Six",
    "⚠ [3/9] Replayed A.Three",
    "⚠ [3/9] Building A.Three (2.0s)",
    "ℹ [4/9] Built A.Four:c.o (12s)",
    "✖ [5/9] Building A.Five (371s)",
    "✖ [6/9] (Optional) Running job computation",
    "[7/9] Building A.Old",
    "info: [8/9] Building A.Exe",
    "trace: .> LEAN_PATH=/x /y/lean A/Five.lean -o z --json",
    "error: > LEAN_PATH=/x /y/lean ././A/Old.lean -R .",
    "info: stderr:",
    "info: stdout:",
    "error: stdout:",
    "Stack overflow detected. Aborting.",
    "warning: A/Three.lean:1:2: unused",
    "warning: A/Five.lean:1:2: unused",
    "error: A/Five.lean:3:4: Type mismatch",
    "error: A/Two.lean:3:4: (kernel) deterministic timeout",
    "error: Lean exited with code 1",
    "error: Lean exited with code 137",
    "error: Lexical trouble",
    "error: external command 'git' exited with code 128",
    "error: build failed",
    "error: missing manifest; use `lake update` to generate one",
    "Some required targets logged failures:",
    "- A.Five",
    "Build completed successfully (9 jobs).",
    "Build summary:",
    "  ✖ 1 jobs failed",
    "    A.Five",
    "A/Raw.lean:7:0: error: unknown identifier 'x'",
    '{"severity":"error","data":"no","fileName":"R.lean","pos":{"line":1,"column":0},"endPos":null,"kind":"k"}',
    "##[error]Process completed with exit code 1.",
    "::warning::x",
    "build.sh: line 7: 22330 Killed  lean",
    "  indented",
    "⊢ goal",
    "",
    "the word error in passing",
    "warning: " + "long " * 30,
)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=30)
lines = st.lists(st.sampled_from(LINES) | words, max_size=25)
SMALL = LogLimits(entry_bytes=60, total_bytes=150, error_bytes=150, failed_jobs=3, lines=4)


def same(one: LakeLog, other: LakeLog) -> None:
    assert list(one.modules) == list(other.modules)
    assert list(one.modules.failed()) == [m for m in other.modules.troubled() if m.status == "failed"]
    assert (one.loose, one.unrecognised, one.notes) == (other.loose, other.unrecognised, other.notes)
    assert (one.kind, one.complete, one.succeeded) == (other.kind, other.complete, other.succeeded)
    assert (one.lines, one.failed_captions, one.omitted) == (
        other.lines,
        other.failed_captions,
        other.omitted,
    )


def in_pieces(data: bytes, cuts: list[int], limits: LogLimits | None) -> LakeLog:
    parser, last = LakeLogParser(limits), 0
    for cut in sorted({cut % (len(data) + 1) for cut in cuts}):
        parser.feed(data[last:cut])
        last = cut
    parser.feed(data[last:])
    return parser.close()


@settings(max_examples=400, deadline=None)
@given(lines, st.lists(st.integers(0, 10_000), max_size=12), st.sampled_from([None, SMALL]), st.booleans())
def test_chunks_do_not_matter(
    content: list[str], cuts: list[int], limits: LogLimits | None, end: bool
) -> None:
    data = ("\n".join(content) + "\n" * end).encode()
    same(read(data, limits), in_pieces(data, cuts, limits))


@pytest.mark.parametrize("icon", ["⚠", "ℹ"])
def test_wherever_room_ends_and_a_chunk_does_the_log_is_the_same(icon: str) -> None:
    level = {"⚠": "warning", "ℹ": "info"}[icon]
    said = f"{level}: A.lean:1:0: x\n  y\n{level}: A.lean:2:0: z\n\n"
    text = f"{icon} [1/2] Built A\n{said}✔ [2/2] Built B\n{icon} [3/3] Built C\n{level}: C.lean:1:0: x\n"
    data = text.encode()
    for room in range(0, len(data) + 8, 3):
        limits = LogLimits(total_bytes=room)
        whole = read(data, limits)
        for cut in range(len(data)):
            same(whole, in_pieces(data, [cut, cut + 30], limits))


HEADS = ("✔ [1/9] Built {}", "⚠ [2/9] Replayed {} (1.2s)", "ℹ [3/9] Built {}", "✖ [4/9] Building {} (2s)")
SAID = {
    "✔": ("trace: .> lean {}", "stray"),
    "⚠": ("warning: {}:1:0: unused\n  x\n\ny", "info: {}:2:0: note", "⊢ goal"),
    "ℹ": ("info: {}:1:0: note\n\nHint: z", "warning: {}:1:0: x"),
    "✖": ("error: {}:1:0: no\n⊢ goal", "trace: .> lean {}", "warning: {}:1:0: x", "error: Z.lean:1:0: no"),
}
ENDS = (
    "",
    "error: Lean exited with code 1",
    "Some required targets logged failures:\n- A\nerror: build failed",
)


@st.composite
def job_texts(draw: st.DrawFn) -> str:
    """A log of jobs as Lake shapes them, most of them in their common form."""
    out = []
    for _ in range(draw(st.integers(1, 6))):
        name, head = draw(st.sampled_from(["A", "B.C", "D:c.o"])), draw(st.sampled_from(HEADS))
        file = name.partition(":")[0].replace(".", "/") + ".lean"
        said = draw(st.lists(st.sampled_from(SAID[head[0]]), max_size=3))
        out += [line.format(file) for line in said]
        out.insert(len(out) - len(said), head.format(name))
        if draw(st.booleans()):
            out.append(draw(st.sampled_from(ENDS)))
    return "\n".join(out) + "\n"


limited = st.builds(
    LogLimits,
    entry_bytes=st.integers(70, 200),
    total_bytes=st.integers(0, 400),
    error_bytes=st.integers(0, 400),
    failed_jobs=st.integers(0, 4),
    lines=st.integers(1, 5),
)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_redirection_can_be_cut_anywhere(encoding: str, end: str) -> None:
    text = f"✖ [1/1] Building A.B\nerror: A/B.lean:1:0: naïve ℕ 𝕜\n{FOOTER}"
    data = ("\ufeff" + text.replace("\n", end)).encode(encoding)
    whole = read(text)
    for cut in range(len(data)):
        same(whole, in_pieces(data, [cut, cut + 1], None))


def test_a_byte_order_mark_alone_is_no_text() -> None:
    for mark in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b""):
        assert read(mark).lines == 0


@settings(max_examples=400, deadline=None)
@given(job_texts(), st.lists(st.integers(0, 10_000), max_size=6), st.none() | limited)
def test_chunks_of_jobs_do_not_matter(text: str, cuts: list[int], limits: LogLimits | None) -> None:
    data = text.encode()
    same(read(data, limits), in_pieces(data, cuts, limits))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=60) | st.sampled_from([line.encode() for line in LINES]), max_size=15),
       st.lists(st.integers(0, 10_000), max_size=12))  # fmt: skip
def test_any_bytes_can_be_read_in_any_pieces(content: list[bytes], cuts: list[int]) -> None:
    data = b"\n".join(content)
    log = read(data)
    same(log, in_pieces(data, cuts, None))
    classify_log(log)


def decorated(content: list[str]) -> bytes:
    stamp = "2026-05-28T15:16:05.6172835Z "
    text = "".join(f"{stamp}\x1b[1;33m{line[:3]}\x1b[m{line[3:]}\x1b[0m\r\n" for line in content)
    return b"\xef\xbb\xbf" + text.encode()


@settings(max_examples=200, deadline=None)
@given(lines)
def test_decorations_do_not_matter(content: list[str]) -> None:
    content = [line for line in content if "\ufeff" not in line and not line[:1].isdigit()]
    plain = "".join(f"{line}\n" for line in content)
    same(read(plain), read(decorated(content)))
    same(read(plain), read(plain.replace("\n", "\r\n")))


STAMP = "2026-05-28T15:16:05.6172835Z "
STYLES: dict[str, Callable[[str], str]] = {
    "GitHub": lambda line: f"{STAMP}{line}\n",
    "GitLab": lambda line: f"2026-05-28T15:16:05.617283Z 01O {line}\n",
    "gh": lambda line: f"build\tRun lake build\t\ufeff{STAMP}{line}\n",
    "whole seconds": lambda line: f"2026-05-28T15:16:05Z {line}\n",
    "byte order mark": lambda line: f"\ufeff{STAMP}{line}\n",
    "colours": lambda line: f"\x1b[1;33m{line[:3]}\x1b[m{line[3:]}\x1b]8;;x\x07\n",
    "colours before times": lambda line: f"\x1b[0m{STAMP}\x1b[36;1m{line}\x1b[K\n",
    "Windows": lambda line: f"{line}\r\n",
    "all": lambda line: f"{STAMP}\x1b[33m{line[:1]}\x1b[0m{line[1:]}\r\n",
}
SAMPLE = (
    "✔ [1/4] Built A.One (1.2s)",
    "⚠ [2/4] Replayed A.Two",
    "warning: A/Two.lean:1:2: ⊢ unused ℕ",
    "",
    "  more of it",
    "✖ [3/4] Building A.Five (371s)",
    "error: A/Five.lean:3:4: Type mismatch",
    "error: Lean exited with code 1",
    "2026-05-28 is a day and 12:34Z no time of a runner",
    "Some required targets logged failures:",
    "- A.Five",
    "error: build failed",
)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("limits", [None, SMALL])
def test_a_decorated_log_may_be_cut_at_any_byte(style: str, limits: LogLimits | None) -> None:
    data = "".join(map(STYLES[style], SAMPLE)).encode()
    plain = read("".join(f"{line}\n" for line in SAMPLE), limits)
    for cut in range(len(data) + 1):
        same(plain, in_pieces(data, [cut], limits))
    same(plain, in_pieces(data, list(range(len(data))), limits))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(LINES) | words, st.sampled_from([*STYLES.values()])), max_size=15),
    st.lists(st.integers(0, 10_000), max_size=12),
    st.sampled_from([None, SMALL]),
)
def test_decorations_may_change_from_line_to_line_and_be_cut(
    content: list[tuple[str, Callable[[str], str]]], cuts: list[int], limits: LogLimits | None
) -> None:
    data = "".join(style(line) for line, style in content).encode()
    same(read(data, limits), in_pieces(data, cuts, limits))


pieces = st.sampled_from(
    [
        "\r",
        "\n",
        "\x1b",
        "[",
        "0m",
        "]8;;",
        "\x07",
        "\\",
        STAMP,
        STAMP[:11],
        STAMP[11:],
        "Z",
        " ",
        "\t",
        "00O+",
        "\ufeff",
    ]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(pieces | st.sampled_from(LINES), max_size=30), st.lists(st.integers(0, 10_000), max_size=12))
def test_broken_decorations_can_be_read_in_any_pieces(content: list[str], cuts: list[int]) -> None:
    data = "".join(content).encode()
    same(read(data), in_pieces(data, cuts, None))


@pytest.mark.parametrize("ends", ["\r", "\n\r", "\r\n\r\n", "\r\r\n", "\n\n"])
def test_line_ends(ends: str) -> None:
    text = ends.join(SAMPLE)
    same(read(text.replace("\r\n", "\n").replace("\r", "\n")), read(text))


def test_a_line_with_nothing_behind_its_time_is_empty() -> None:
    bare = STAMP.rstrip()
    log = read(f"{STAMP}✖ [1/1] Building A\n{STAMP}error: A.lean:1:0: no\n{bare}\n{bare}\n{STAMP}end\n{bare}")
    [entry] = only(log).entries
    assert entry.text == "A.lean:1:0: no\n\n\nend\n"


def test_a_decorated_line_of_megabytes_is_cut_alike_in_any_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean, "MAX_LINE", 60)
    text = "".join(f"{STAMP}{line}\r\n" for line in ("✖ [1/1] Building A", "error: " + "é" * 90, *SAMPLE))
    data = text.encode()
    whole = read(data)
    assert any("further bytes left out" in entry.text for entry in whole.modules[0].entries)
    for step in (1, 7, 64, 100, 200):
        same(whole, in_pieces(data, list(range(0, len(data), step)), None))


def test_of_a_failed_job_without_room_the_exit_code_remains() -> None:
    job = "✖ [{0}/9] Building M{0} (1.0s)\n" + "error: M{0}.lean:1:0: no\n" * 9 + "{1}"
    text = "".join(job.format(i, "error: Lean exited with code 137\n" * (i != 2)) for i in range(4))
    log = read(text, LogLimits(error_bytes=300))
    assert [(m.caption, m.exit_code, m.cut) for m in log.modules] == [
        ("M0", 137, False),
        ("M1", 137, True),
        ("M2", None, True),
        ("M3", 137, True),
    ]
    assert log.modules[3].entries == ()
    assert log.counts() == {"error": 39}


@settings(max_examples=300, deadline=None)
@given(lines)
def test_no_error_line_is_lost(content: list[str]) -> None:
    log = read("\n".join(content) + "\n")
    kept = [entry.text for module in log.modules for entry in module.entries]
    kept += [entry.text for entry in (*log.loose, *log.unrecognised, *log.notes)]
    kept += [module.command or "" for module in log.modules]
    for line in content:
        if line.startswith("error: ") and line != "error: build failed":
            wanted = line.removeprefix("error: ").removeprefix("> ").strip()
            assert any(wanted in text for text in kept), line
    if any(line.startswith("error: ") for line in content):
        assert not classify_log(log).passed


def test_memory_is_bounded_by_the_limits() -> None:
    """Whatever the size of the log, no more than the limits is held."""
    limits = LogLimits(entry_bytes=1000, total_bytes=10_000, error_bytes=10_000, failed_jobs=50, lines=20)
    parser = LakeLogParser(limits)
    for i in range(3000):
        parser.feed(f"✖ [{i}/9] Building M{i}\nerror: M{i}.lean:1:0: {'e' * 500}\n".encode())
        parser.feed(f"⚠ [{i}/9] Built W{i}\nwarning: W{i}.lean:1:0: {'w' * 500}\nnoise error {i}\n".encode())
        parser.feed(f"✔ [{i}/9] Built C{i}\n".encode())
    log = parser.close()
    held = sum(len(entry.text) for module in log.modules for entry in module.entries)
    assert held <= 20_000
    assert len(log.modules) <= 150
    assert len(log.unrecognised) <= 20
    assert log.counts()["error"] == 3000


def test_the_time_that_lake_printed_of_a_module() -> None:
    output = (
        "✔ [1/2] Built Demo.Base (837ms)\n✔ [2/2] Built Demo.Mid\nBuild completed successfully (2 jobs).\n"
    )
    printed = time_of(output, "Demo.Base")
    assert printed is not None
    assert printed.seconds == 0.837
    assert time_of(output, "Demo.Mid") is None
    assert time_of("", "Demo.Mid") is None

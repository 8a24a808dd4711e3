"""Durations and sizes, as people read and write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.errors import UsageError
from tracker.text import show_text
from tracker.units import parse_bytes, parse_seconds, show_bytes, show_seconds


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, "–"), (0, "0 B"), (999, "999 B"), (1000, "0.977 KiB"), (1024, "1 KiB"), (1536, "1.5 KiB"),
        (999 * 2**20, "999 MiB"), (int(999.6 * 2**20), "0.976 GiB"), (16 * 2**30, "16 GiB"),
        (2000 * 2**40, "2e+03 TiB"),
    ],
)  # fmt: skip
def test_sizes_as_shown(size: int | None, text: str) -> None:
    assert show_bytes(size) == text


@given(st.integers(0, 900 * 2**40))
def test_a_shown_size_is_read_back_to_three_figures(size: int) -> None:
    assert "e" not in show_bytes(size)
    assert parse_bytes(show_bytes(size)) == pytest.approx(size, rel=0.006, abs=1)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"), (0, "0 ms"), (0.25, "250 ms"), (0.9996, "1.00 s"), (1, "1.00 s"), (9.87, "9.87 s"),
        (9.996, "10.0 s"), (17, "17.0 s"), (59.96, "1 min 00 s"),
        (365, "6 min 05 s"), (3720, "1 h 02 min"),
    ],
)  # fmt: skip
def test_durations_as_shown(seconds: float | None, text: str) -> None:
    assert show_seconds(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5min", 90), ("2 h", 7200), ("500ms", 0.5)]
)
def test_durations_as_read(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1s", "1e9", "5 GiB", "1s2"])
def test_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        parse_seconds(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""), ("  as it is", "  as it is"), ("a\tb", "a b"), ("\n::error::x\n", "::error::x"),
        ("a \r\n\n  b\x0b\u2028c", "a b c"), ("\x1b[31mé\x07\u202e", "�[31mé��"), ("bad\udcff", "bad�"),
    ],
)  # fmt: skip
def test_foreign_text_as_shown(text: str, shown: str) -> None:
    assert show_text(text) == shown


def test_an_error_has_only_the_lines_that_it_is_given() -> None:
    error = UsageError("CODE", "a\nb", "c\nd", lines=("  e\nf", "g"))
    assert str(error) == "error[CODE]: a b\n  e f\ng\n  hint: c d"
    assert error.message == error.args[0] == "a b\n  e f\ng"

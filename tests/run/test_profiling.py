"""Profiles of declarations by real Lean: kept, shown, and gone when the sources change."""

from __future__ import annotations

from tests.conftest import Site

HEAVY = (
    "def Demo.fib : Nat → Nat\n  | 0 => 1\n  | 1 => 1\n  | n + 2 => Demo.fib (n + 1) + Demo.fib n\n\n"
    "theorem Demo.side : 1 = 1 := rfl\n\n"
    "theorem Demo.heavy : Demo.fib 15 = 987 := by decide +kernel\n"
)


def test_the_kernel_is_told_from_the_elaborator(proved: Site) -> None:
    proved.write("Side", HEAVY)
    ran = proved.tracker("run", "Demo.Side", "--profile")
    assert "3 declarations have a profile" in ran.err
    done = proved.tracker("profile", "Demo.Side", "--json")
    assert done.code == 0, done.err
    found = {row["declaration"]: row for row in done.json["declarations"]}
    assert {"Demo.fib", "Demo.side", "Demo.heavy"} <= found.keys()
    assert {row["module"] for row in found.values()} == {"Demo.Side"}, "imports were not asked for"
    assert all(row["kernel_s"] > 0 and row["elaboration_s"] > 0 for row in found.values())
    assert "kernel" in proved.tracker("show", "side").out


def test_a_profile_is_kept_until_the_sources_change(proved: Site) -> None:
    first = proved.tracker("profile", "Demo.Side", "--json")
    again = proved.tracker("profile", "Demo.Side", "--json")
    assert first.json["declarations"]
    assert first.json == again.json, "figures of another check would differ"
    assert proved.tracker("profile", "Demo.Side", "--json", "--fresh").json != first.json
    proved.write("Side", proved.read("Side") + "\n-- more\n")
    assert proved.tracker("profile", "Demo.Side").code == 1, "nothing has passed as it is now"
    assert "kernel" not in proved.tracker("show", "side").out


def test_what_fails_or_has_a_failing_import_is_said_to(proved: Site) -> None:
    proved.write("Base", "def Demo.two : Nat := 3\n\ntheorem Demo.two_eq : Demo.two = 2 := rfl\n")
    never = "Lean has not checked it as it is now: `tracker run` first"
    assert f"Demo.Base: not profiled: {never}" in proved.tracker("profile", "Demo.Base").err
    assert proved.tracker("run").code == 1
    done = proved.tracker("profile", "Demo.Base", "Demo.Mid", "Demo.Side")
    assert done.code == 0, "one of them passed"
    assert "Demo.Base: not profiled: it fails (type-error): it must pass first\n" in done.err
    assert (
        "Demo.Mid: not profiled: its import Demo.Base fails (type-error): that must pass first\n" in done.err
    )
    assert "Demo.Side" not in done.err
    alone = proved.tracker("profile", "Demo.Base", "--json")
    assert alone.code == 1
    assert alone.json["left_out"] == [
        {"module": "Demo.Base", "reason": "it fails (type-error): it must pass first"}
    ]
    lost = proved.tracker("headroom", "two-eq", "--json")
    assert lost.code == 1
    assert [u["reason"] for u in lost.json["unmeasured"]] == [
        "of its module Demo.Base: it fails (type-error): it must pass first"
    ]

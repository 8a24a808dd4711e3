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

"""Checked arithmetic: `12*16 + 2 + 2 + 4 = 200` is an identity of polynomials, or a fault."""

from __future__ import annotations

from tracker.symbolic.chain import Fault
from tracker.symbolic.polynomial import DimsError, parse, polynomial


def equation_fault(text: str, path: str) -> Fault | None:
    """Return what is wrong with an equation, which may have several `=`; None if all sides agree."""
    sides = [side.strip() for side in text.split("=")]
    if len(sides) < 2:
        return Fault("bad-dims", path, f"`{text}` has no `=`", "write an equation such as `2 * 8 + 4 = 20`")
    try:
        values = [polynomial(parse(side)) for side in sides]
    except DimsError as error:
        return Fault("bad-dims", path, error.message, error.hint)
    for side, value in zip(sides[1:], values[1:], strict=True):
        if value != values[0]:
            message = f"`{sides[0]}` is {values[0]}, not `{side}`"
            return Fault("wrong-sum", path, message, "correct the equation, or what it counts")
    return None

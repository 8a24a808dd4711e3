"""A `lakefile.lean` read as text: the names and module sets that are written out plainly.

The file is a Lean program and may compute any of it, so the result says `exact=False`.
"""

from __future__ import annotations

import re

from tracker.lean.lakefile import Glob, Lakefile, LakefileError, LeanExe, LeanLib, Require, plain_name

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|--[^\n]*|/-|-/', re.DOTALL)
_BLOCK_TOKEN = re.compile(r"/-|-/")
_PART = r"(?:«[^»\n]*»|[^\W\d][\w'!?]*)"
_NAME = rf"({_PART}(?:\.{_PART})*)"
_DECLARATION = re.compile(
    rf"^(?:@\[(?P<attributes>[^\]]*)\]\s*)?(?P<kind>package|lean_lib|lean_exe|require)\s+(?P<name>{_NAME}|\"[^\"]*\")",
    re.MULTILINE,
)
_QUOTED = re.compile(r"`" + _NAME + r"(\.[+*])?")
_GLOB = re.compile(r"\.(one|submodules|andSubmodules)\s+`" + _NAME + r"|`" + _NAME + r"(\.[+*])?")
_SELECTS = {"one": "", "submodules": "+", "andSubmodules": "*", ".+": "+", ".*": "*"}


def read(path: str, text: str) -> Lakefile:
    """Return what the text of a `lakefile.lean` says plainly. Raises LakefileError without a package."""
    plain = _without_comments(text)
    found = list(_DECLARATION.finditer(plain))
    bounds = [m.start() for m in found[1:]] + [len(plain)] * bool(found)
    name, version, src_dir, defaults = "", "", ".", []
    libs: list[LeanLib] = []
    exes: list[LeanExe] = []
    requires: list[Require] = []
    for match, end in zip(found, bounds, strict=True):
        body = plain[match.end() : end]
        target = plain_name(match["name"].strip('"'))
        if match["kind"] == "package":
            name, version, src_dir = target, _string(body, "version"), _string(body, "srcDir") or "."
        elif match["kind"] == "require":
            requires.append(_require(target, body))
        else:
            if "default_target" in (match["attributes"] or ""):
                defaults.append(target)
            if match["kind"] == "lean_lib":
                libs.append(LeanLib(target, _string(body, "srcDir") or ".", _roots(body), _globs(body)))
            else:
                root = _QUOTED.search(_field(body, "root"))
                exes.append(LeanExe(target, root and root[1], _string(body, "srcDir") or "."))
    if not name:
        raise LakefileError(path, 1, 0, "no `package` declaration", "a lakefile.lean declares one package")
    return Lakefile(
        path,
        name,
        kind="lean",
        exact=False,
        version=version,
        default_targets=tuple(defaults),
        src_dir=src_dir,
        libs=tuple(libs),
        exes=tuple(exes),
        requires=tuple(requires),
    )


def _without_comments(text: str) -> str:
    """Return the text with comments, which may be nested, taken out; strings stay."""
    kept, start, depth = [], 0, 0
    while match := (_BLOCK_TOKEN if depth else _TOKEN).search(text, start):
        mark = match[0]
        if not depth:
            kept.append(text[start : match.end() if mark[0] == '"' else match.start()] + " ")
        depth += {"/-": 1, "-/": -1}.get(mark, 0) if depth or mark == "/-" else 0
        start = match.end()
    return "".join(kept) + ("" if depth else text[start:])


def _field(body: str, field: str) -> str:
    match = re.search(rf"\b{field}\s*:=\s*", body)
    if not match:
        return ""
    # A value ends where the next field of the structure begins.
    following = re.compile(r"\b[a-zA-Z]\w*\s*:=").search(body, match.end())
    return body[match.end() : following.start() if following else len(body)]


def _string(body: str, field: str) -> str:
    match = re.match(r'(?:v!)?"([^"]*)"', _field(body, field))
    return match[1] if match else ""


def _roots(body: str) -> tuple[str, ...] | None:
    names = tuple([m[1] for m in _QUOTED.finditer(_field(body, "roots"))])
    return names or (() if re.search(r"\broots\s*:=\s*#\[\s*\]", body) else None)


def _globs(body: str) -> tuple[Glob, ...] | None:
    globs = []
    for match in _GLOB.finditer(_field(body, "globs")):
        selects = _SELECTS[match[1] or match[4] or "one"]
        globs.append(Glob(match[2] or match[3], selects))
    return tuple(globs) or None


def _require(name: str, body: str) -> Require:
    scoped = re.match(r'\s*/\s*"([^"]*)"', body)
    if scoped:  # require "scope" / "name" @ git "revision"
        version = re.search(r'@\s*(?:git\s+)?"([^"]*)"', body)
        return Require(plain_name(scoped[1]), "registry", name, version[1] if version else "")
    git = re.search(r'\bgit\s+"([^"]*)"(?:\s*@\s*"([^"]*)")?', body)
    if git:
        return Require(name, "git", git[1], git[2] or "")
    path = re.search(r'\bfrom\s+(?:\.\s*path\s+)?"([^"]*)"', body)
    return Require(name, "path", path[1]) if path else Require(name, "registry")

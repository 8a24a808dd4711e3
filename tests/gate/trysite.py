"""A small project under git whose proofs depend on Lean's options: for upgrades and bisections."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import Site, make_site

TOOLCHAINS = """
[toolchains.tight]
embedded = true
lean_args = ["-DmaxRecDepth=150"]

[toolchains.wide]
embedded = true
lean_args = ["-DmaxRecDepth=4000"]

[toolchains.ample]
embedded = true
lean_args = ["-DmaxRecDepth=1000"]

[toolchains.tiny]
embedded = true
lean_args = ["-DmaxRecDepth=120"]

[toolchains.loud]
embedded = true
lean_args = ["-Dtrace.Meta.whnf=true"]
"""
MODULES = {
    "Base": (
        "def Demo.two : Nat := 2\n\ntheorem Demo.two_eq : Demo.two = 2 := rfl\n\n"
        "def Demo.count : Nat → Nat\n  | 0 => 0\n  | n + 1 => Demo.count n + 1\n\n"
        "theorem Demo.deep : Demo.count 60 = 60 := by decide\n"
    ),
    "Mid": (
        "import Demo.Base\n\ntheorem Demo.lemma (n : Nat) : n + 0 = n := rfl\n\n"
        "theorem Demo.main : Demo.count 60 + 0 = 60 := by\n  rw [Demo.lemma, Demo.deep]\n"
    ),
    "Top": "import Demo.Mid\n\ntheorem Demo.top : Demo.count 60 + 0 = 60 := Demo.main\n",
    "Side": "theorem Demo.side : 1 = 1 := rfl\n",
}
CATALOGUE = """\
obligations:
  - {id: two-eq, kind: foundation, decl: Demo.two_eq, module: Demo.Base}
  - {id: deep, kind: leaf-tie, decl: Demo.deep, module: Demo.Base}
  - {id: lemma, kind: leaf-tie, decl: Demo.lemma, module: Demo.Mid}
  - {id: main, kind: apex, decl: Demo.main, module: Demo.Mid, depends_on: [lemma, deep]}
  - {id: top, kind: capstone, decl: Demo.top, module: Demo.Top, depends_on: [main]}
  - {id: side, kind: foundation, decl: Demo.side, module: Demo.Side}
"""


def git(site: Site, *args: str) -> str:
    """Run git in the site's repository and return what it prints."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *args], cwd=site.root, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def commit(site: Site, message: str) -> str:
    """Commit everything and return the commit's hash."""
    git(site, "add", "-A")
    git(site, "commit", "-q", "--allow-empty", "-m", message)
    return git(site, "rev-parse", "HEAD")


def make_try_site(root: Path) -> Site:
    """Return a project with one commit that nobody has checked yet."""
    site = make_site(root)
    for name, text in MODULES.items():
        site.write(name, text)
    (root / "obligations" / "demo.yaml").write_text(CATALOGUE, encoding="utf-8")
    config = root / "tracker.toml"
    config.write_text(config.read_text(encoding="utf-8") + TOOLCHAINS, encoding="utf-8")
    (root / ".gitignore").write_text(".lake/\n.tracker/\n", encoding="utf-8")
    git(site, "init", "-q", "-b", "main")
    commit(site, "Prove it")
    return site


def trees(site: Site) -> list[str]:
    """Return the scratch trees that are left, as git and as the disk know them."""
    known = [line for line in git(site, "worktree", "list").splitlines() if str(site.root) + " " not in line]
    place = site.root / ".tracker" / "trees"
    return known + [str(p) for p in place.iterdir() if p.is_dir()] if place.is_dir() else known

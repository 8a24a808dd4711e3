import Lake
open Lake DSL

/- package Wrong /- lean_lib Nested -/ where -/
package «my-pkg» where
  version := v!"0.1.0" -- package Comment
  leanOptions := #[⟨`autoImplicit, false⟩]

require mathlib from git "https://github.com/leanprover-community/mathlib4" @ "v4.35.0"
require "leanprover" / "doc-gen4" @ git "main"
require helper from "../helper"

@[default_target]
lean_lib Nets where
  srcDir := "lean"
  globs := #[.submodules `Nets.Ties, `Nets.Layers.*, .one `Nets]
  leanOptions := #[⟨`pp.all, true⟩]

lean_lib «odd lib» where
  roots := #[`Odd.A, `Odd.B]

@[default_target] lean_exe audit where
  root := `Audit.Main

lean_lib Bare

script hello do
  IO.println "lean_lib NotOne"
  return 0

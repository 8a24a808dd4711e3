-- args: -DmaxErrors=2
-- expect: unknown-name elaborator identifier one -
-- expect: unknown-name elaborator identifier two -
-- expect: too-many-errors elaborator - * one
set_option autoImplicit false
theorem one : missing1 := True.intro
theorem two : missing2 := True.intro
theorem three : missing3 := True.intro

-- args: -Dno.such.option=1
-- expect: lean-usage environment - - -
theorem fine : 1 = 1 := rfl

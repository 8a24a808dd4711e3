-- expect: parse-error parser tab * -
-- expect: parse-error parser - * -
theorem tabbed :	1 = 1 := rfl

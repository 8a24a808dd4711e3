-- expect: parse-error parser late_import - -
theorem first : 1 = 1 := rfl
import Init

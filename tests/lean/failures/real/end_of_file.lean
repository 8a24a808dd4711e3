-- expect: parse-error parser end_of_file - -
theorem unfinished : 1 = 1

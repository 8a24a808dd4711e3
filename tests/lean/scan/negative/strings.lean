#check "
theorem a : True := sorry
\"
axiom b : False"
#check r"C:\"
#check r#"theorem c "
axiom d : False"#
#check s!"{"
theorem e : True := sorry
"}"
#check '"'
#check ('\'', '"')
#check "-- /- "

import Lake
lean_lib A
-- 1:0: no `package` declaration

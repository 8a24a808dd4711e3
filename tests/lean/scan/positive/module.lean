-- not for Lean alone: the module system needs a compiled library
module
public import Init
meta import Init
@[expose] public section
namespace M
public meta def f : Nat := 1
private theorem g : True := trivial
end M
end
public theorem h : True := trivial

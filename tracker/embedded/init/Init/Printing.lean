prelude
import Init.Symbols
import Init.Terms

/-! # Printing

How terms without a symbol of their own are written down: pairs, lists, conditionals, binders. -/

namespace Lean

namespace Internal

@[app_unexpander Unit.unit] private def unexpandUnit : PrettyPrinter.Unexpander
  | `($(_)) => `(())

@[app_unexpander List.nil] private def unexpandListNil : PrettyPrinter.Unexpander
  | `($(_)) => `([])

@[app_unexpander List.cons] private def unexpandListCons : PrettyPrinter.Unexpander
  | `($(_) $x $tail) =>
    match tail with
    | `([]) => `([$x])
    | `([$xs,*]) => `([$x, $xs,*])
    | _ => throw ()
  | _ => throw ()

@[app_unexpander List.toArray] private def unexpandListToArray : PrettyPrinter.Unexpander
  | `($(_) [$xs,*]) => `(#[$xs,*])
  | _ => throw ()

@[app_unexpander Prod.mk] private def unexpandProdMk : PrettyPrinter.Unexpander
  | `($(_) $x ($y, $ys,*)) => `(($x, $y, $ys,*))
  | `($(_) $x $y) => `(($x, $y))
  | _ => throw ()

@[app_unexpander ite] private def unexpandIte : PrettyPrinter.Unexpander
  | `($(_) $c $t $e) => `(if $c then $t else $e)
  | _ => throw ()

@[app_unexpander Eq.ndrec] private def unexpandEqNDRec : PrettyPrinter.Unexpander
  | `($(_) $m $h) => `($h ▸ $m)
  | _ => throw ()

@[app_unexpander Eq.rec] private def unexpandEqRec : PrettyPrinter.Unexpander
  | `($(_) $m $h) => `($h ▸ $m)
  | _ => throw ()

@[app_unexpander Exists] private def unexpandExists : PrettyPrinter.Unexpander
  | `($(_) fun $x:ident => ∃ $xs:binderIdent*, $b) => `(∃ $x:ident $xs:binderIdent*, $b)
  | `($(_) fun $x:ident => $b) => `(∃ $x:ident, $b)
  | `($(_) fun ($x:ident : $t) => $b) => `(∃ ($x:ident : $t), $b)
  | _ => throw ()

@[app_unexpander Sigma] private def unexpandSigma : PrettyPrinter.Unexpander
  | `($(_) fun ($x:ident : $t) => $b) => `(($x:ident : $t) × $b)
  | _ => throw ()

@[app_unexpander PSigma] private def unexpandPSigma : PrettyPrinter.Unexpander
  | `($(_) fun ($x:ident : $t) => $b) => `(($x:ident : $t) ×' $b)
  | _ => throw ()

@[app_unexpander Subtype] private def unexpandSubtype : PrettyPrinter.Unexpander
  | `($(_) fun ($x:ident : $type) => $p) => `({ $x : $type // $p })
  | `($(_) fun $x:ident => $p) => `({ $x // $p })
  | _ => throw ()

end Internal

end Lean

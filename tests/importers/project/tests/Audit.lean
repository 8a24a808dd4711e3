import Gradients.Net

-- #print axioms Gradients.in_a_comment
#print axioms Gradients.net_eq
open Gradients in
#print axioms layer_zero
-- 'layer_zero' does not depend on any axioms

/-- info: 'Gradients.layer_eq' depends on axioms: [propext] -/
#guard_msgs in
#print axioms Gradients.layer_eq

/-- info: 'Gradients.layer_comm' does not depend on any axioms -/
#guard_msgs in
#print axioms Gradients.layer_comm

#print axioms Gradients.net_equal

import A import B.C import A
open A
import No

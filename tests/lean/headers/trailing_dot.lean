import A.
import B

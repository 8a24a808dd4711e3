importA
import B--comment
import C/- -/import D

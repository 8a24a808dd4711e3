/-! A module doc comment ends the header. -/
import A

/- never closed
import A

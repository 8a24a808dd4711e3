import «with space».«a.b».C
import A.«»
import A.import

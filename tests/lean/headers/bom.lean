import A

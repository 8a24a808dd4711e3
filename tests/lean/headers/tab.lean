import A
	import B

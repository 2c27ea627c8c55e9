def made(v): return {}

def made(v):
    return {}

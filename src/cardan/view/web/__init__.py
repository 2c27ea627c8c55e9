"""The web view: mechanisms in a browser, as one file that plays from disk or live from Python."""

"""The studio: a page in which mechanisms are drawn, dragged and analyzed, with Python solving behind it.

text        a model file as text that is edited in place: everything else stays as it was written
document    the text with undo and redo, its file, and the journal that survives a crash
edits/      what the page can do to a drawing: bars, joints, motors, springs, ...
solved      the model of the text: degrees of freedom, why it does not move, poses, a first motion
session     messages of a page, and the answers
server      the page and its connection, on 127.0.0.1 with a token
"""

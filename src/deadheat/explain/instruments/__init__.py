"""One instrument a file, behind one protocol (base.py)."""

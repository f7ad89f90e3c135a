"""Asks pipelines: targets behind one small protocol, and the runner that asks them."""

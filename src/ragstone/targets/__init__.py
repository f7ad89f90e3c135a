"""How do I ask a pipeline? Targets behind one small protocol, and the runner that asks them."""

"""The parts of `checks/statements.py`: small files, what is true, and what Ragstone says."""

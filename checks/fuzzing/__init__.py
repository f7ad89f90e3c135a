"""The parts of `checks/fuzz.py`: good inputs, what breaks them, packings, the judge."""

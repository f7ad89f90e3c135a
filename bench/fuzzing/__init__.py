"""The parts of `bench/fuzz.py`: good inputs, what breaks them, packings, the judge."""

"""The parts of a report as plain data: what a suite shows, and every renderer knows."""

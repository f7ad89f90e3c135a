"""`python -m ragstone` is the command `ragstone`."""

from ragstone.cli.main import entry

if __name__ == "__main__":
    entry()

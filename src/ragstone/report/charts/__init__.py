"""Charts as self-contained SVG, each one function over plain data: numbers, names and notes.

They know no suite. Colours come from the page around them, and red and green are kept for bad and
good.
"""

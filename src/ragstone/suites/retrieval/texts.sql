-- The text of a chunk.
id,
text,

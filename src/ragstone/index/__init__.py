"""A small retriever to test with: reads documents, cuts them into chunks, searches; no model."""

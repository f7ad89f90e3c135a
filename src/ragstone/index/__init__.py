"""A small real retriever to test with: documents in, chunks with stable ids out, no model."""

"""What is happening now: records of a live pipeline come in, are kept, counted and watched."""

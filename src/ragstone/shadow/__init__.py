"""The next index beside the live one: live questions are asked a second time, and compared."""

"""Logs and gold sets of other tools: each format is a SQL file and a declaration of the same name.

They lie in the folders `traces` and `gold`, and nothing else has to be told of a new one.
"""

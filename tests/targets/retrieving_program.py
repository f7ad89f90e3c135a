"""The smallest pipeline behind `cmd:`: it retrieves nothing, and says so."""

import sys

for _ in sys.stdin:
    print('{"retrieved_ids": []}', flush=True)

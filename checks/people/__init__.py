"""How well the gate agrees with people, beside other rules: `python -m people`, in `checks/`."""

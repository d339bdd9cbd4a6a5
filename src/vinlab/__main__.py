"""``python -m vinlab`` is the ``vinlab`` command."""

from vinlab.cli import main

if __name__ == "__main__":
    main()

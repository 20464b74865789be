"""Entry point of `python -m frontdesk`."""

from frontdesk.cli import main

if __name__ == "__main__":
    main()

"""The fixtures of these tests; what they are made of is in store_server.py."""
from store_server import start, store  # noqa: F401

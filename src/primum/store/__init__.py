"""The content-addressed store, fingerprints of what is stored, and files that are written atomically."""

from primum.store.content_store import Store, opened

__all__ = ["Store", "opened"]

"""The content-addressed store, fingerprints of code, and files that are written atomically."""

from primum.store.content_store import Store

__all__ = ["Store"]

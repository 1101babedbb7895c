"""The LRU cache: what was used least recently goes, by number and by size."""

from __future__ import annotations

from primum.store.lru_cache import LruCache


def test_what_was_used_least_recently_goes():
    cache = LruCache[str](most=2)
    cache.put("a", "1")
    cache.put("b", "2")
    assert cache.get("a") == "1"
    cache.put("c", "3")
    assert [cache.get(key) for key in "abc"] == ["1", None, "3"]
    assert len(cache) == 2


def test_there_is_room_for_so_much_and_always_for_the_last():
    cache = LruCache[bytes](most=10, room=100, size=len)
    for key in range(5):
        cache.put(key, bytes(40))
    assert [key for key in range(5) if cache.get(key)] == [3, 4]
    cache.put(4, bytes(10))
    cache.put(5, bytes(50))
    assert [key for key in range(6) if cache.get(key)] == [3, 4, 5]
    cache.put("large", bytes(1000))
    assert len(cache) == 1
    cache.forget("large")
    cache.forget("large")
    cache.put(6, bytes(100))
    assert len(cache) == 1

// Size limit for a map: the key set last is the newest, and the oldest is dropped first.

/** Sets `key` as the newest of `map`, of which `most` (1 or more) stay. */
export function setNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key)
  for (const oldest of map.keys()) {
    if (map.size < most) break
    map.delete(oldest)
  }
  map.set(key, value)
}

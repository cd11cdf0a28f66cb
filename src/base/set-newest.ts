// The bound of a map that remembers by name: the name set last stands last, and the one set longest ago goes first.

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

// Copies bytes into or out of shared memory: `set` moves eight bytes at a time there and takes three times as
// long.

/** As `into.set(bytes, at)`. */
export function copyBytes(bytes: Uint8Array, into: Uint8Array, at: number): void {
  // Without a byte it would fill with zeros.
  if (bytes.length === 0) return
  if (at + bytes.length > into.length) throw new RangeError('more bytes than there is room for')
  Buffer.prototype.fill.call(into, bytes, at, at + bytes.length)
}

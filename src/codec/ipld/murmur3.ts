// murmur3-x64-64: the first 8 bytes of MurmurHash3 x64 128 with seed 0, which determines the positions of names in HAMTs.
// Source: https://github.com/aappleby/smhasher (public domain algorithm).

const first = 0x87c37b91114253d5n
const second = 0x4cf5ad432745937fn

/** 64 bits; the most significant bits select the slot at the root of a HAMT. */
export function murmur3(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let h1 = 0n
  let h2 = 0n
  const whole = bytes.length - (bytes.length % 16)
  for (let at = 0; at < whole; at += 16) {
    h1 ^= mixFirst(view.getBigUint64(at, true))
    h1 = wrap(wrap(rotate(h1, 27n) + h2) * 5n + 0x52dce729n)
    h2 ^= mixSecond(view.getBigUint64(at + 8, true))
    h2 = wrap(wrap(rotate(h2, 31n) + h1) * 5n + 0x38495ab5n)
  }
  const tail = bytes.subarray(whole)
  h2 ^= mixSecond(littleEndian(tail.subarray(8)))
  h1 ^= mixFirst(littleEndian(tail.subarray(0, 8)))
  h1 ^= BigInt(bytes.length)
  h2 ^= BigInt(bytes.length)
  h1 = wrap(h1 + h2)
  h2 = wrap(h2 + h1)
  return wrap(finish(h1) + finish(h2))
}

function mixFirst(k: bigint): bigint {
  return wrap(rotate(wrap(k * first), 31n) * second)
}

function mixSecond(k: bigint): bigint {
  return wrap(rotate(wrap(k * second), 33n) * first)
}

function finish(value: bigint): bigint {
  let h = value
  h = wrap((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn)
  h = wrap((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n)
  return h ^ (h >> 33n)
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    value = (value << 8n) | BigInt(bytes[index] ?? 0)
  }
  return value
}

function rotate(value: bigint, by: bigint): bigint {
  return wrap((value << by) | (value >> (64n - by)))
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value)
}

// CBOR (RFC 8949) with keys of any kind, as authenticators write it; `dag-cbor.ts` reads the part that content has.
// Tested by src/codec/authenticator-data.test.ts
import { decodeFirst } from 'cborg'
import { Malformed } from './malformed.ts'

/** Authenticators have four levels at most and some kilobytes; more is not looked at (CTAP 2.1, section 8). */
const bytesMax = 16_384

/**
 * The map at the start of `bytes`, its maps as Map, and what is behind it. Throws Malformed for what is no map, lengths
 * left open, keys that stand twice, more than 16 KiB.
 */
export function decodeCborMap(bytes: Uint8Array): {
  readonly map: ReadonlyMap<unknown, unknown>
  readonly rest: Uint8Array
} {
  if (bytes.length > bytesMax) throw new Malformed(`at most ${bytesMax} bytes of CBOR`)
  let value: unknown
  let rest: Uint8Array
  try {
    const options = { useMaps: true, rejectDuplicateMapKeys: true, allowIndefinite: false }
    ;[value, rest] = decodeFirst(bytes, options)
  } catch (cause) {
    // Levels without end are a RangeError: as malformed as the rest.
    throw new Malformed('CBOR', { cause })
  }
  if (!(value instanceof Map)) throw new Malformed('a map of CBOR')
  return { map: value, rest }
}

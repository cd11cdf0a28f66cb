// Converts a prefix of a CID's text to a range of CID bytes. Pure.
// Tested by src/codec/ipld/cid-range.test.ts
import { parseCid } from './cid.ts'

/** `below` is exclusive. */
export type CidRange = { readonly from: Uint8Array; readonly below: Uint8Array }

/** A shorter text matches too many CIDs, and ordinary words. */
const charsMin = 9
const base32Digits = 'abcdefghijklmnopqrstuvwxyz234567'
const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Text length of every CID of version 0. */
const v0Chars = 46
const v0Bytes = 34
/** Maximum text length: a CID of version 1 with a digest of 128 bytes. */
const charsMax = 220

/**
 * `text`: a whole CID in any multibase, or at least the first 9 characters of one in base32 (`baf…`) or of version 0 (`Qm…`): for
 * these, the text order equals the byte order. Null for any other text.
 */
export function cidRange(text: string): CidRange | null {
  const whole = parseCid(text)?.bytes ?? null
  if (whole !== null) return { from: whole, below: Uint8Array.of(...whole, 0) }
  if (text.length < charsMin || text.length > charsMax) return null
  if (/^b[a-z2-7]+$/.test(text)) {
    const digits = text.slice(1)
    const bytes = Math.ceil((digits.length * 5) / 8)
    return rangeOf(
      numberOf(digits, base32Digits),
      1n << BigInt(bytes * 8 - digits.length * 5),
      bytes,
    )
  }
  if (text.length < v0Chars && /^Qm[1-9A-HJ-NP-Za-km-z]+$/.test(text)) {
    return rangeOf(numberOf(text, base58Digits), 58n ** BigInt(v0Chars - text.length), v0Bytes)
  }
  return null
}

/** Numbers from `beginning * unit` up to the next prefix. */
function rangeOf(beginning: bigint, unit: bigint, length: number): CidRange {
  return {
    from: bytesOf(beginning * unit, length),
    below: bytesOf((beginning + 1n) * unit, length),
  }
}

function numberOf(text: string, digits: string): bigint {
  let value = 0n
  for (const char of text) value = value * BigInt(digits.length) + BigInt(digits.indexOf(char))
  return value
}

function bytesOf(value: bigint, length: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex')
}

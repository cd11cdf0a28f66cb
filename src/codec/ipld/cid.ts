// CIDs as text and bytes, based on the `multiformats` package: v0 in base58btc, v1 parsed in any multibase.
import { base10 } from 'multiformats/bases/base10'
import { base16, base16upper } from 'multiformats/bases/base16'
import { base2 } from 'multiformats/bases/base2'
import { base256emoji } from 'multiformats/bases/base256emoji'
import {
  base32,
  base32hex,
  base32hexpad,
  base32hexpadupper,
  base32hexupper,
  base32pad,
  base32padupper,
  base32upper,
  base32z,
} from 'multiformats/bases/base32'
import { base36, base36upper } from 'multiformats/bases/base36'
import { base58btc, base58flickr } from 'multiformats/bases/base58'
import { base64, base64pad, base64url, base64urlpad } from 'multiformats/bases/base64'
import { base8 } from 'multiformats/bases/base8'
import type { MultibaseEncoder } from 'multiformats/bases/interface'
import { CID } from 'multiformats/cid'
import * as digests from 'multiformats/hashes/digest'
import { sha256Code } from './multihash.ts'

export const rawCodec = 0x55
export const dagPbCodec = 0x70
export const dagCborCodec = 0x71
export const dagJsonCodec = 0x0129
export const dagJoseCodec = 0x85
export const cborCodec = 0x51
export const jsonCodec = 0x0200

/** Codecs by their names in options. Code table: https://github.com/multiformats/multicodec */
const codecNames: ReadonlyMap<string, number> = new Map([
  ['raw', rawCodec],
  ['dag-pb', dagPbCodec],
  ['dag-cbor', dagCborCodec],
  ['dag-json', dagJsonCodec],
  ['cbor', cborCodec],
  ['json', jsonCodec],
  ['libp2p-key', 0x72],
  ['git-raw', 0x78],
  ['dag-jose', dagJoseCodec],
  ['dag-cose', 0x86],
])

/** The codec of an option: by name, by decimal number, or by number as `0x55`. Null: unknown. */
export function findCodec(text: string): number | null {
  const named = codecNames.get(text)
  if (named !== undefined) return named
  const code = /^(?:0[xX][\da-fA-F]{1,8}|\d{1,9})$/.test(text) ? Number(text) : null
  return code !== null && [...codecNames.values()].includes(code) ? code : null
}

/**
 * The same text as a flat string, for texts that are cached in large numbers: `multiformats` concatenates a CID character by
 * character, and V8 retains each step until the text is read, 1.5 KB for 59 characters.
 */
export function flatText(text: string): string {
  return Buffer.from(text).toString()
}

const bases = [
  base32,
  base58btc,
  base36,
  base16,
  base64url,
  base64,
  base64pad,
  base64urlpad,
  base32upper,
  base32pad,
  base32padupper,
  base32hex,
  base32hexupper,
  base32hexpad,
  base32hexpadupper,
  base32z,
  base36upper,
  base58flickr,
  base16upper,
  base2,
  base8,
  base10,
  base256emoji,
]
const byPrefix = new Map(bases.map((base) => [String(base.prefix), base]))
const byName = new Map(bases.map((base) => [String(base.name), base]))

/** Maximum text length: a 128-byte digest in base2 has about 1100 characters. */
const textLengthMax = 1500
/** Decoding a base that is not a power of two takes quadratic time, so only digests of at most 128 bytes are accepted. */
const slowLengthMax: ReadonlyMap<string, number> = new Map([
  ['z', 230],
  ['Z', 230],
  ['k', 230],
  ['K', 230],
  ['9', 360],
])

/** Parses a CID, or returns null. Version 0 accepts only its own hash function. */
export function parseCid(text: string): CID | null {
  const lengthMax = slowLengthMax.get(text[0] ?? '') ?? textLengthMax
  if (text.length < 2 || text.length > lengthMax) return null
  try {
    if (text.length === 46 && text.startsWith('Qm')) return CID.parse(text)
    const base = byPrefix.get(String.fromCodePoint(text.codePointAt(0) ?? 0))
    if (base === undefined) return null
    const cid = decodeCid(base.decode(text))
    return cid?.version === 1 ? cid : null
  } catch {
    return null
  }
}

/**
 * The CID in bytes, as in a dag-pb link, or null. Accepts only the canonical encoding: `multiformats` also accepts a version
 * byte of 0 and varints that are longer than necessary, unlike all other implementations.
 */
export function decodeCid(bytes: Uint8Array): CID | null {
  try {
    const cid = CID.decode(bytes)
    return cid.bytes.length === bytes.length ? cid : null
  } catch {
    return null
  }
}

/**
 * `multihash`: code, length and digest. Version 0 allows only dag-pb with sha2-256; throws TypeError otherwise, because that is a
 * bug in the caller.
 */
export function cidOf(version: 0 | 1, codec: number, multihash: Uint8Array): CID {
  const digest = digests.decode(multihash)
  if (version === 0 && (codec !== dagPbCodec || digest.code !== sha256Code)) {
    throw new TypeError('CIDv0 is for dag-pb with sha2-256 only')
  }
  return CID.create(version, codec, digest)
}

/** The multibase with that name or prefix, or null. Encodes CIDs of version 1 (argument of `CID.toString`). */
export function findMultibase(text: string): MultibaseEncoder<string> | null {
  return byName.get(text) ?? byPrefix.get(text) ?? null
}

// Text format of keys and secrets: `cairn_live_` (secret: `cairns_live_`; token of a person: `cairnt_live_`) + 30 base62
// characters of a CSPRNG + 6 base62 characters of the CRC32 of the preceding text. Imported keys have any format.
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyPrefix = 'cairn_live_'
const secretPrefix = 'cairns_live_'
const tokenPrefix = 'cairnt_live_'
const randomLength = 30
const checksumLength = 6
const opaque = /^[A-Za-z0-9_-]{8,128}$/

/** Creates a key with 178 random bits. */
export function createApiKey(): string {
  return withChecksum(keyPrefix + randomText())
}

/** Creates a secret with 178 random bits. */
export function createApiSecret(): string {
  return withChecksum(secretPrefix + randomText())
}

/** Creates a token for a person's program or for a link, with 178 random bits. */
export function createToken(): string {
  return withChecksum(tokenPrefix + randomText())
}

/** Returns true if the text has the format of a token. Cairn creates all tokens, so the checksum is always checked. */
export function checkToken(text: string): boolean {
  return text.startsWith(tokenPrefix) && check(text, tokenPrefix)
}

/** Could this be a key? Any text of 8 to 128 characters; with Cairn's prefix the checksum must match. */
export function checkApiKey(text: string): boolean {
  return check(text, keyPrefix)
}

/** As `checkApiKey`, for a secret. */
export function checkApiSecret(text: string): boolean {
  return check(text, secretPrefix)
}

/** Stored form of a key or secret, 32 bytes. Random text needs no slow hash. */
export function hashCredential(text: string): Uint8Array {
  return new Uint8Array(hash('sha256', text, 'buffer'))
}

/** As `hashCredential`, in lower-case hex, for lookups. */
export function hashToHex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Prefix of a key or token for lists: at most 8 characters and at most a quarter of the random part. */
export function visiblePart(key: string): string {
  const prefix = [keyPrefix, tokenPrefix].find((one) => key.startsWith(one)) ?? ''
  const own = key.slice(prefix.length)
  return own.slice(0, Math.min(8, Math.floor(own.length / 4)))
}

export function withChecksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let n = 0; n < checksumLength; n++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return text + digits
}

function check(text: string, prefix: string): boolean {
  if (!opaque.test(text)) return false
  if (!text.startsWith(prefix)) return true
  return (
    text.length === prefix.length + randomLength + checksumLength &&
    withChecksum(text.slice(0, -checksumLength)) === text
  )
}

function randomText(): string {
  let text = ''
  while (text.length < randomLength) {
    for (const byte of randomBytes(randomLength)) {
      // 248 = 4 x 62: a larger byte would make the first letters of the alphabet more likely.
      if (byte < 248 && text.length < randomLength) text += alphabet.charAt(byte % 62)
    }
  }
  return text
}

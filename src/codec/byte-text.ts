// Text of blocks that may not be valid UTF-8. Reading replaces each invalid byte by a lone surrogate, U+DC80 to U+DCFF; writing
// restores the byte. So reading and writing a block does not change it.
// Rule: https://www.unicode.org/reports/tr36/ section 3.7.4 (surrogate escapes, as Python's PEP 383)
// Tested by src/codec/byte-text.test.ts

const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const escapes = 0xdc00

/** Never throws. */
export function textOfBytes(bytes: Uint8Array): string {
  if (bytes.length === 0) return ''
  try {
    return strict.decode(bytes)
  } catch {
    return escapedText(bytes)
  }
}

/** The reverse of `textOfBytes`. Surrogates of other kinds become U+FFFD. */
export function bytesOfText(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const parts = text.split(/([\udc80-\udcff])/u).map((part, index) =>
    // Every second part is a separator, one of the lone surrogates.
    index % 2 === 1 ? Uint8Array.of(part.charCodeAt(0) - escapes) : Buffer.from(part, 'utf8'),
  )
  return Buffer.concat(parts)
}

/** The result has at most one UTF-16 unit per byte, so its buffer is allocated in advance. */
function escapedText(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length;) {
    const step = readPoint(bytes, at)
    if (step === null) {
      units[length++] = escapes + (bytes[at] as number)
      at += 1
      continue
    }
    const { point, size } = step
    if (point < 0x10000) units[length++] = point
    else {
      units[length++] = 0xd7c0 + (point >> 10)
      units[length++] = 0xdc00 + (point & 0x3ff)
    }
    at += size
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

/** The code point at `at`; null if the bytes are invalid (RFC 3629 section 4). */
function readPoint(
  bytes: Uint8Array,
  at: number,
): { readonly point: number; readonly size: number } | null {
  const first = bytes[at] as number
  if (first < 0x80) return { point: first, size: 1 }
  const size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (size === 0) return null
  let point = first & (0x7f >> size)
  for (let next = 1; next < size; next += 1) {
    const byte = bytes[at + next] ?? 0
    if (byte >> 6 !== 2) return null
    point = (point << 6) | (byte & 0x3f)
  }
  const least = size === 2 ? 0x80 : size === 3 ? 0x800 : 0x10000
  const isSurrogate = point >= 0xd800 && point <= 0xdfff
  return point < least || point > 0x10ffff || isSurrogate ? null : { point, size }
}

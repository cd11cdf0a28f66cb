// Hex text and bytes. Output is lower case with `0x`; the APIs parse untrusted text strictly.

/** `0x` and two lower-case digits per byte. */
export function toHex(bytes: Uint8Array): string {
  return '0x' + toBareHex(bytes)
}

/** Two lower-case digits per byte, no prefix. */
export function toBareHex(bytes: Uint8Array): string {
  return spell(bytes, 'hex')
}

/** One character per byte: the shortest text form, for keys of maps, not for display. */
export function toLatin1(bytes: Uint8Array): string {
  return spell(bytes, 'latin1')
}

// One buffer for all short arrays: the result is read before any other code runs.
const joinBytesMax = 256
const scratch = Buffer.allocUnsafeSlow(joinBytesMax)
/** V8 stores arrays up to this size on its own heap. A Buffer over one would move it off the heap, so it is copied. */
const copiedBytesMax = 64

function spell(bytes: Uint8Array, encoding: 'hex' | 'latin1'): string {
  if (bytes.length > copiedBytesMax) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
  }
  scratch.set(bytes)
  return scratch.toString(encoding, 0, bytes.length)
}

/** The reverse of `toLatin1`. */
export function fromLatin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'))
}

/** `toLatin1` of two concatenated arrays of at most 256 bytes in total. */
export function joinLatin1(first: Uint8Array, second: Uint8Array): string {
  const length = first.length + second.length
  if (length > joinBytesMax) throw new RangeError(`at most ${joinBytesMax} bytes, got ${length}`)
  scratch.set(first)
  scratch.set(second, first.length)
  return scratch.toString('latin1', 0, length)
}

/** A JSON-RPC QUANTITY: `0x0`, else no leading zeros. */
export function toQuantity(value: bigint | number): string {
  return '0x' + value.toString(16)
}

/**
 * Bytes of trusted hex text, `0x` optional, even length. Throws TypeError for anything else: the parsers of each API validate
 * untrusted input and return the right error messages.
 */
export function fromHex(text: string): Uint8Array {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw new TypeError(`not hex: "${text.slice(0, 80)}"`)
  }
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

/** Value of each character code that is a hex digit, 255 elsewhere. */
const digitValues = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? 255 : value
})
/** Up to this length a loop is faster than the native decoder with its checks and its copy. */
const loopDigitsMax = 256

/**
 * Bytes of the hex digits of `text` from `start` on, in any case; an odd number of digits is left-padded. If `length` is given and
 * the digits fit, the bytes are right-aligned in it. Null if a character is not a digit.
 */
export function decodeDigits(text: string, start: number, length?: number): Uint8Array | null {
  const digits = text.length - start
  const bytes = new Uint8Array(length ?? (digits + 1) >> 1)
  if (digits > loopDigitsMax) return decodeMany(text.slice(start), bytes)
  let at = bytes.length - 1
  for (let index = text.length - 1; index >= start; index -= 2, at -= 1) {
    const low = digitAt(text, index)
    const high = index > start ? digitAt(text, index - 1) : 0
    if (low > 15 || high > 15) return null
    bytes[at] = high * 16 + low
  }
  return bytes
}

function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code < 256 ? (digitValues[code] ?? 255) : 255
}

function decodeMany(digits: string, bytes: Uint8Array): Uint8Array | null {
  // The native decoder reads only the low byte of each character.
  if (Buffer.byteLength(digits) !== digits.length) return null
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  const length = even.length / 2
  const target = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // The decoder stops at the first character that is not a digit.
  return target.write(even, bytes.length - length, 'hex') === length ? bytes : null
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}

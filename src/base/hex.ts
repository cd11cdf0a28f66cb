// Hex text and bytes. Output is lower case with `0x`; strict parsing of foreign text lives in the faces.

/** `0x` + two lower-case digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return '0x' + toBareHex(bytes)
}

/** Two lower-case digits a byte, no prefix. */
export function toBareHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** One character a byte: the shortest text two equal arrays share. For keys of maps, not for people. */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** A JSON-RPC QUANTITY: `0x0`, else no leading zeros. */
export function toQuantity(value: bigint | number): string {
  return '0x' + value.toString(16)
}

/**
 * Bytes of trusted hex text, `0x` optional, even length. Throws TypeError on anything else: input from
 * outside is judged by the faces' own parsers, which know the texts to answer with.
 */
export function fromHex(text: string): Uint8Array {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw new TypeError(`not hex: "${text.slice(0, 80)}"`)
  }
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}

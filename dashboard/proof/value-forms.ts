// Readings of a hexadecimal value. Pure.
// Tested by dashboard/proof/value-forms.test.ts

type ValueForm = { readonly name: string; readonly text: string }

const grouped = new Intl.NumberFormat('en')
const wordDigits = 64

/** Likely ones first; none for a value that is not short hexadecimal text. */
export function formsOf(value: unknown): readonly ValueForm[] {
  if (typeof value !== 'string') return []
  const digits = /^0x([0-9a-fA-F]*)$/.exec(value)?.[1]
  if (digits === undefined || digits.length > wordDigits) return []
  const forms: ValueForm[] = []
  if (digits !== '') forms.push({ name: 'Number', text: grouped.format(BigInt(value)) })
  forms.push({ name: 'Hex', text: value })
  if (digits.length === wordDigits && /^0{24}/.test(digits)) {
    forms.push({ name: 'Address', text: `0x${digits.slice(24)}` })
  }
  const text = textOf(digits)
  if (text !== null) forms.push({ name: 'Text', text })
  return forms
}

/** Printable ASCII with trailing zeros, as short strings and `bytes32` names are stored; null: not text. */
function textOf(digits: string): string | null {
  if (digits.length % 2 === 1) return null
  const codes = (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
  const end = codes.findLastIndex((code) => code !== 0) + 1
  const printable = codes.slice(0, end)
  // A string of up to 31 bytes stores twice its length in its last byte (Solidity's storage layout).
  if (codes.length === 32 && codes[31] !== 0 && (codes[31] ?? 0) % 2 === 0) {
    const length = (codes[31] ?? 0) / 2
    if (length < 32) return asciiOf(codes.slice(0, length))
  }
  return printable.length < 2 ? null : asciiOf(printable)
}

function asciiOf(codes: readonly number[]): string | null {
  if (codes.length === 0 || codes.some((code) => code < 32 || code > 126)) return null
  return String.fromCharCode(...codes)
}

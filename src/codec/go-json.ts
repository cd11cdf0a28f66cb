// Encodes JSON as Go's encoder does: compact, with the characters <, >, & escaped. Pure.
// Tested by src/kubo/ipfs-api.test.ts

/** ECMAScript 2026; the compiler's own declarations lack it. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown }

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** One line including its line feed. Members in the order of `value`; a bigint is written with all its digits. */
export function kuboLine(value: unknown): string {
  const text = JSON.stringify(value, digits)
  return text.replaceAll(/[<>&\u2028\u2029]/g, (character) => escapes[character] as string) + '\n'
}

function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (JSON as RawJson).rawJSON(String(value)) : value
}

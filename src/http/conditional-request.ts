// Conditional and partial requests (RFC 9110 13 and 14), as far as `/ipfs/<cid>` supports them. Pure.
// Tested by src/http/conditional-request.test.ts
import { Fault } from '../base/fault.ts'
import { splitOutsideQuotes } from './accept-header.ts'

/** Whether If-None-Match contains `tag`. Compared weakly; `*` matches every tag. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return splitOutsideQuotes(header, ',').some((one) => opaque(one.trim()) === opaque(tag))
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/** Whether a Cache-Control header contains `directive`. */
export function hasDirective(header: string | undefined, directive: string): boolean {
  if (header === undefined) return false
  return splitOutsideQuotes(header, ',').some((one) => one.trim().toLowerCase() === directive)
}

export type ByteRange = { readonly offset: bigint; readonly length: bigint }

/**
 * The requested range of `size` bytes. Null: all bytes, also if several ranges are requested, the header is
 * malformed, the unit is not bytes, or If-Range names another tag. Throws `bad_range` if the range lies past the end.
 */
export function readRange(
  header: string | undefined,
  size: bigint,
  { ifRange, tag }: { readonly ifRange: string | undefined; readonly tag: string },
): ByteRange | null {
  // Only a strong tag proves that the bytes are the same; responses have no date.
  if (ifRange !== undefined && (ifRange !== tag || tag.startsWith('W/'))) return null
  const [, first = '', last = ''] =
    /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if ((first === '' && last === '') || first.length > 19 || last.length > 19) return null
  // Clients that always request a range get the empty content, not an error.
  if (size === 0n) return null
  if (first === '') {
    const count = BigInt(last)
    if (count === 0n) throw outside(size)
    const length = count < size ? count : size
    return { offset: size - length, length }
  }
  const offset = BigInt(first)
  const end = last === '' || BigInt(last) >= size ? size - 1n : BigInt(last)
  if (last !== '' && BigInt(last) < offset) return null
  if (offset >= size) throw outside(size)
  return { offset, length: end - offset + 1n }
}

function outside(size: bigint): Fault {
  return new Fault('bad_range', { data: { size: String(size) } })
}

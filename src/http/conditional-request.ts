// Conditional and partial requests (RFC 9110 13 and 14), as far as readers of `/ipfs/<cid>` use them. Pure.
// Tested by src/http/conditional-request.test.ts
import { Fault } from '../base/fault.ts'
import { splitOutsideQuotes } from './accept-header.ts'

/** Does If-None-Match name `tag`? Compared weakly; `*` names what there is. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return splitOutsideQuotes(header, ',').some((one) => opaque(one.trim()) === opaque(tag))
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/** Is `directive` in a Cache-Control header? */
export function hasDirective(header: string | undefined, directive: string): boolean {
  if (header === undefined) return false
  return splitOutsideQuotes(header, ',').some((one) => one.trim().toLowerCase() === directive)
}

export type ByteRange = { readonly offset: bigint; readonly length: bigint }

/**
 * The one range that is asked of `size` bytes; null: the whole, also where several ranges are asked for, the header is
 * malformed, the unit is another, or If-Range names another tag. Throws `bad_range` when it lies past the end.
 */
export function readRange(
  header: string | undefined,
  size: bigint,
  { ifRange, tag }: { readonly ifRange: string | undefined; readonly tag: string },
): ByteRange | null {
  // Only a strong tag says that the bytes are the same; nothing here has a date.
  if (ifRange !== undefined && (ifRange !== tag || tag.startsWith('W/'))) return null
  const [, first = '', last = ''] =
    /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if ((first === '' && last === '') || first.length > 19 || last.length > 19) return null
  // Nothing of nothing: clients that always ask for a range get the empty whole.
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

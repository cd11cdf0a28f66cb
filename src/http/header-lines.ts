// Header lines that many answers share, and the Date line (RFC 9110 6.6.1), made once a second.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Clock } from '../base/clock.ts'

/** Names and values in turn, and the same as lines that each end with CRLF. */
export type HeadLines = { readonly list: readonly string[]; readonly text: string }

/** `text` is joined into one piece: what is added up stays in parts, which each answer would gather anew. */
export function createHeadLines(list: readonly string[]): HeadLines {
  const parts = list.map((word, at) => (at % 2 === 0 ? `${word}: ` : `${word}\r\n`))
  return { list, text: parts.join('') }
}

/** Names and values in turn, as lines that each end with CRLF. */
export function toLines(list: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`
  return lines
}

export function createDateHeader(clock: Clock): () => string {
  let second = -1
  let text = ''
  return () => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}

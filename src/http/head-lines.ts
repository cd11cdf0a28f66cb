// Header lines that many answers share, spelled once.
// Tested by src/http/rpc.test.ts

/** Names and values in turn, and the same as lines that each end with CRLF. */
export type HeadLines = { readonly list: readonly string[]; readonly text: string }

export function createHeadLines(list: readonly string[]): HeadLines {
  return { list, text: toLines(list) }
}

/** Names and values in turn, as lines that each end with CRLF. */
export function toLines(list: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`
  return lines
}

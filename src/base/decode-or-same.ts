// Decodes a part of a URL.
// Tested by src/ipfs-gateway/deny-list.test.ts

/** Percent-decoded; text with a malformed escape is returned as it is. */
export function decodeOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

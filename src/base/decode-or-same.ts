// Decodes a part of a URL.
// Tested by src/ipfs-gateway/deny-list.test.ts

/** Percent-decodes; returns text with a malformed escape unchanged. */
export function decodeOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

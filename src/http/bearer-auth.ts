// `Authorization: Bearer` (RFC 6750 2.1): a JWT on the JSON-RPC API.
// Tested by test/jwt-started.test.ts

const headerCharsMax = 8_192
const bearerForm = /^bearer(?: +([A-Za-z0-9_.-]*))?$/i

/** Null without a header and for another scheme. Empty, which is no token, where there is none or it is over 8 KiB. */
export function parseBearer(header: string | undefined): string | null {
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return null
  if (header.length > headerCharsMax) return ''
  return bearerForm.exec(header.trim())?.[1] ?? ''
}

// The Authorization header: Basic (RFC 7617) and Bearer (RFC 6750).
// Tested by src/rpc/api/rpc-api.test.ts

export type BasicPair = { readonly user: string; readonly password: string }

const headerCharsMax = 8_192
const basicForm = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i

/** Null without a header; `malformed` for another scheme, bad base64, no colon, NUL, over 8 KiB. */
export function parseBasic(header: string | undefined): BasicPair | null | 'malformed' {
  if (header === undefined) return null
  if (header.length > headerCharsMax) return 'malformed'
  const encoded = basicForm.exec(header.trim())?.[1]
  if (encoded === undefined) return 'malformed'
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0')) return 'malformed'
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

const bearerForm = /^bearer(?: +([A-Za-z0-9_.-]*))?$/i

/** Null without a header and for another scheme. Empty, which is no token, where there is none or it is over 8 KiB. */
export function parseBearer(header: string | undefined): string | null {
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) return null
  if (header.length > headerCharsMax) return ''
  return bearerForm.exec(header.trim())?.[1] ?? ''
}

// Cross-origin rules. The JSON-RPC API allows every origin, without credentials: the key is in the URL, the secret in a header.
// Requests that a browser makes without a script (navigations, form posts) are refused before credentials are read.
// Tested by src/rpc/api/rpc-api.test.ts
import type { IncomingHttpHeaders } from 'node:http'

const exposed =
  'retry-after, x-request-id, x-cairn-verified, x-cairn-head, x-cairn-head-signers, x-cairn-block, x-cairn-block-number, x-cairn-units'
const allowed =
  'content-type, authorization, infura-source, user-agent, x-requested-with, accept, x-cairn-proof'

/**
 * CORS headers of every reply of the API; names and values alternate. Reflects the Origin, or sends `*` without one. Returns a new
 * array.
 */
export function corsHeaders(origin: string | undefined): string[] {
  return [
    'access-control-allow-origin',
    origin ?? '*',
    'vary',
    'Origin',
    'access-control-expose-headers',
    exposed,
  ]
}

/** Headers of the 204 reply to OPTIONS, which needs no key. */
export function preflightHeaders(origin: string | undefined): string[] {
  return [
    ...corsHeaders(origin),
    'access-control-allow-methods',
    'POST, OPTIONS',
    'access-control-allow-headers',
    allowed,
    'access-control-max-age',
    '7200',
    'x-content-type-options',
    'nosniff',
  ]
}

/** True if the request looks like a navigation or a form post, not like an API call. */
export function isAmbient(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode']
  if (mode === 'navigate' || mode === 'no-cors') return true
  if (headers.origin === undefined) return false
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded' || type === 'text/plain'
}

/** True if a browser sent the request: other programs send neither header, although some send `Sec-Fetch-Mode`. */
export function isOfPage(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

/**
 * True if a page of another origin made the request. False if a person opened the address, or for a page of the same origin. For
 * browsers without `Sec-Fetch-Site`, the Origin header decides.
 */
export function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site === 'none' || site === 'same-origin') return false
  if (site !== undefined) {
    return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document'
  }
  const { origin, host } = headers
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host
}

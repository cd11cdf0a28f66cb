// What a page may not do on its own: navigations and form posts never reach the
// credentials, so a browser never keeps or sends them by itself. Pure.
// Tested by src/kubo/ipfs-api.test.ts
import type { IncomingHttpHeaders } from 'node:http'

/** True when the request looks like one that a page made without the API in mind. */
export function isAmbient(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode']
  if (mode === 'navigate' || mode === 'no-cors') return true
  if (headers.origin === undefined) return false
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded' || type === 'text/plain'
}

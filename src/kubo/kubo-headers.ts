// Headers of every reply of the IPFS API, and of its reply to OPTIONS.
// Tested by src/kubo/ipfs-api.test.ts
import type { IncomingHttpHeaders } from 'node:http'

const streamHeaders = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'
const allowed = 'authorization, content-type, x-requested-with, accept, infura-source, user-agent'

/** The Origin is reflected on every status, errors too; without one the lists equal Kubo's byte for byte. */
export function kuboHeaders(headers: IncomingHttpHeaders, version: string): Record<string, string> {
  const { origin } = headers
  return {
    'Access-Control-Allow-Headers': streamHeaders,
    'Access-Control-Expose-Headers':
      origin === undefined ? streamHeaders : `${streamHeaders}, Retry-After, X-Request-Id`,
    ...(origin === undefined ? {} : { 'Access-Control-Allow-Origin': origin }),
    Vary: 'Origin',
    Server: `cairn/${version}`,
  }
}

/** Headers of the 204 to OPTIONS: a preflight's answer, else the methods. No credentials needed. */
export function optionsHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) {
    return { Allow: 'OPTIONS, POST' }
  }
  return {
    'Access-Control-Allow-Methods': 'POST, OPTIONS',
    'Access-Control-Allow-Headers': allowed,
    'Access-Control-Max-Age': '7200',
  }
}

// Checks of a JSON-RPC request by its request line and headers alone.
// Tested by src/rpc/api/rpc-api.test.ts
import { Fault } from '../../base/fault.ts'
import type { Credential } from '../../pipeline/authenticate-request.ts'
import { parseBasic, parseBearer } from '../../http/request-head.ts'
import type { HttpExchange, RequestHeaders } from '../../http/http-exchange.ts'
import type { RpcPath } from '../../http/routes.ts'

const contentTypes: ReadonlySet<string> = new Set([
  '',
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
])
const keyForm = /^[A-Za-z0-9_-]{8,128}$/

/** Throws `wrong_http`, `wrong_media`, and `no_command` for a WebSocket URL without an upgrade. */
export function checkRequest({ method, headers }: HttpExchange, path: RpcPath): void {
  if (path.webSocket) {
    throw new Fault('no_command', {
      detail: 'this URL takes WebSocket connections, send JSON-RPC by POST to /v3/<API_KEY>',
    })
  }
  if (method !== 'POST') throw new Fault('wrong_http')
  // The value that most clients send needs no parsing.
  const sent = headers['content-type'] ?? ''
  if (!contentTypes.has(sent)) {
    const type = sent.split(';', 1)[0] as string
    if (!contentTypes.has(type.trim().toLowerCase())) throw new Fault('wrong_media')
  }
  const encoding = headers['content-encoding'] ?? ''
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new Fault('wrong_media', {
      detail: 'invalid content encoding, only identity is supported',
    })
  }
}

/** `?proof=1` or `x-cairn-proof: 1`: the client requests a proof bundle with each result. */
export function requestsProof({
  headers,
  query,
}: {
  readonly headers: Pick<RequestHeaders, 'x-cairn-proof'>
  readonly query: string
}): boolean {
  if (headers['x-cairn-proof'] === '1') return true
  return query !== '' && new URLSearchParams(query).get('proof') === '1'
}

/**
 * The key of the path and the secret of `Authorization: Basic`, or the JWT of `Authorization: Bearer`. A malformed key
 * counts as none. Throws `bad_secret` if a key is present and the header has another scheme or is malformed.
 */
export function readCredential(
  {
    headers,
    address,
    requestId,
  }: {
    readonly headers: Pick<RequestHeaders, 'authorization' | 'origin' | 'user-agent'>
    readonly address: string
    readonly requestId: string
  },
  keySegment: string | null,
): Credential {
  const key = keySegment !== null && keyForm.test(keySegment) ? keySegment : null
  const sent = key === null ? undefined : headers.authorization
  const jwt = parseBearer(sent)
  const basic = jwt === null ? parseBasic(sent) : null
  if (basic === 'malformed') throw new Fault('bad_secret')
  return {
    key,
    secret: basic === null || basic.password === '' ? null : basic.password,
    ...(jwt === null ? {} : { jwt }),
    user: basic === null || basic.user === '' ? undefined : basic.user,
    address,
    origin: headers.origin,
    userAgent: headers['user-agent'],
    requestId,
  }
}

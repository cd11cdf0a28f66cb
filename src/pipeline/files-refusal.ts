// Writes a Fault as a reply of the IPFS API: Kubo's JSON error object, or plain text where Kubo's argument parser or
// router replies.
// Tested by src/kubo/ipfs-api.test.ts
import type { Clock } from '../base/clock.ts'
import { type Fault, filesStatus } from '../base/fault.ts'
import { endEarly } from '../http/text-answer.ts'
import type { NodeExchange } from '../http/node-exchange.ts'
import { kuboLine } from '../codec/go-json.ts'

export type Refusal = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

export function refusalOf(fault: Fault): Refusal {
  const { row } = fault
  const status = filesStatus(row)
  const message = messageOf(fault)
  const headers: Record<string, string> = {}
  if (status === 401) headers['WWW-Authenticate'] = 'Basic realm="cairn", charset="UTF-8"'
  if (status === 405) headers['Allow'] = 'OPTIONS, POST'
  if (status === 429 || status === 503) headers['Retry-After'] = `0${waitSeconds(fault)}`
  if (row.files?.text === true || status === 405) return textRefusal(status, message, headers)
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: kuboLine({ Message: message, Code: row.kubo, Type: 'error' }),
  }
}

/** Same refusal for a client that accepts text: the message alone, as Kubo writes it. */
export function textOf(refusal: Refusal, fault: Fault): Refusal {
  if (refusal.headers['Content-Type'] !== 'application/json') return refusal
  return {
    ...refusal,
    headers: { ...refusal.headers, 'Content-Type': 'text/plain' },
    body: messageOf(fault),
  }
}

/** Sends the whole reply. If the request body was not read to its end, discards a little of it and closes. */
export function sendRefusal(
  exchange: NodeExchange,
  refusal: Refusal,
  how: { readonly bodyEnded: boolean; readonly clock: Clock },
): void {
  const { request, response } = exchange
  if (response.destroyed) return
  const empty = request.method === 'HEAD' || refusal.status === 204
  const body = empty ? '' : refusal.body
  response.writeHead(refusal.status, {
    ...refusal.headers,
    ...(refusal.status === 204 ? {} : { 'Content-Length': Buffer.byteLength(refusal.body) }),
    ...(how.bodyEnded ? {} : { Connection: 'close' }),
  })
  if (how.bodyEnded || exchange.awaitsContinue) response.end(body)
  else endEarly(request, response, body, how.clock)
}

function textRefusal(status: number, message: string, headers: Record<string, string>): Refusal {
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    body: message + '\n',
  }
}

export function messageOf(fault: Fault): string {
  if (fault.detailed) return fault.message
  if (fault.code === 'refused_by_setting' && fault.reason !== '') {
    return `${fault.message}: ${fault.reason}`
  }
  return fault.row.files?.message ?? fault.message
}

/** At least 1 s. The leading zero prevents ethers from reading the value as milliseconds. */
export function waitSeconds(fault: Fault): number {
  const rate = typeof fault.data === 'object' ? fault.data['rate'] : undefined
  const given =
    typeof rate === 'object' && rate !== null && 'backoff_seconds' in rate
      ? Number(rate.backoff_seconds)
      : 1
  return Number.isFinite(given) ? Math.max(1, Math.ceil(given)) : 1
}

/** True if the key does not allow the origin of the web page. */
export function isOriginRefused({ code, reason }: Fault): boolean {
  return code === 'refused_by_setting' && reason === 'origin'
}

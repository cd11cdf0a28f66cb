// The head and body of a JSON-RPC answer, refusals included.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Fault } from '../../base/fault.ts'
import { toHex, toQuantity } from '../../base/hex.ts'
import type { AnswerLabels } from '../../pipeline/request-recorder.ts'
import { corsHeaders } from '../../http/cors.ts'
import type { HttpExchange } from '../../http/http-exchange.ts'
import { createHeadLines, type HeadLines, toLines } from '../../http/header-lines.ts'
import type { RpcBody } from './rpc-reply.ts'

type RpcReply = {
  /** Decides the status; null: 200. */
  readonly fault: Fault | null
  readonly labels: AnswerLabels | null
  /** Empty for notifications. */
  readonly body: RpcBody
  readonly bodyUnread: boolean
}

/** What every answer says of itself. */
const fixed = [
  'content-type',
  'application/json',
  'cache-control',
  'no-store',
  'x-content-type-options',
  'nosniff',
]
const plainLines = createHeadLines([...corsHeaders(undefined), ...fixed])
/** A refusal proves nothing. */
const refusedLines = createHeadLines(['x-cairn-verified', 'none'])

/** Sends `answer`, and ends the connection when the request's body was not read to its end. */
export type ReplySender = (exchange: HttpExchange, answer: RpcReply) => void

export function createReplySender(): ReplySender {
  const labelLinesOf = createLabelLines()
  return (exchange, { fault, labels, body, bodyUnread }) => {
    const { text, bytes } = body
    const { origin } = exchange.headers
    const own = ['x-request-id', exchange.requestId, 'content-length', String(bytes)]
    if (labels !== null) own.push('x-cairn-units', String(labels.units))
    if (fault !== null) addFault(own, fault)
    const status = fault?.row.status ?? 200
    exchange.send({
      status,
      fixed: [
        origin === undefined ? plainLines : createHeadLines([...corsHeaders(origin), ...fixed]),
        labelLinesOf(labels),
      ],
      own,
      text,
      ascii: bytes === text.length,
      bodyUnread,
      closes: bodyUnread || status === 413,
    })
  }
}

/**
 * The lines of labels, spelled again when they differ from the last ones: most calls in a row are about one block. Joined
 * into one piece when they are used again, since that takes longer than to add them up.
 */
function createLabelLines(): (labels: AnswerLabels | null) => HeadLines {
  let last: AnswerLabels | null = null
  let lines = refusedLines
  let joined = false
  return (labels) => {
    if (labels === null) return refusedLines
    if (last === null || !isAlike(labels, last)) {
      last = labels
      const list = labelsOf(labels)
      lines = { list, text: toLines(list) }
      joined = false
    } else if (!joined) {
      lines = createHeadLines(lines.list)
      joined = true
    }
    return lines
  }
}

/** True when both spell alike; the other way round it may be wrong. */
function isAlike(labels: AnswerLabels, other: AnswerLabels): boolean {
  return (
    labels.block === other.block &&
    labels.blockNumber === other.blockNumber &&
    labels.verified === other.verified &&
    labels.head === other.head
  )
}

/** Labels without the units, which differ from call to call. */
function labelsOf(labels: AnswerLabels): string[] {
  const head: string[] = ['x-cairn-verified', labels.verified]
  if (labels.head !== null) head.push('x-cairn-head', labels.head)
  if (labels.block !== null) head.push('x-cairn-block', toHex(labels.block))
  if (labels.blockNumber !== null) {
    head.push('x-cairn-block-number', toQuantity(labels.blockNumber))
  }
  return head
}

function addFault(head: string[], fault: Fault): void {
  const { status } = fault.row
  if (status === 401) {
    head.push('www-authenticate', 'Basic realm="Auth failure, invalid project id"')
  }
  if (status === 405) head.push('allow', 'POST, OPTIONS')
  if (status === 429 || status === 503) head.push('retry-after', retryAfter(fault))
}

/**
 * Seconds with one zero in front: ethers takes `1` for a millisecond and gives up after twelve tries in a
 * blink, `01` it leaves to its own back-off.
 */
function retryAfter(fault: Fault): string {
  const rate = typeof fault.data === 'object' ? fault.data['rate'] : undefined
  const given =
    typeof rate === 'object' && rate !== null && 'backoff_seconds' in rate
      ? Number(rate.backoff_seconds)
      : 1
  return `0${Number.isFinite(given) ? Math.max(1, Math.ceil(given)) : 1}`
}

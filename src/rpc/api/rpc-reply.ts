// JSON-RPC replies as text, with the members in the order that clients expect, and the response headers. A refusal echoes the ids
// of the calls, in an array for a batch: clients that sent a batch fail on a single object.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Body } from '../../http/body.ts'
import type { Deadlines } from '../../http/deadlines.ts'
import { type Envelope, opensArray, parseEnvelope, scannedItemsMax } from './envelope.ts'
import type { HttpExchange } from '../../http/http-exchange.ts'
import { Fault } from '../../base/fault.ts'
import type { RpcOutcome } from '../rpc-pipeline.ts'
import { rollbackAll } from '../revocable.ts'
import { toHex, toQuantity } from '../../base/hex.ts'
import type { AnswerLabels } from '../../pipeline/request-recorder.ts'
import { corsHeaders } from '../../http/cross-origin.ts'
import { type HeadLines, createHeadLines, toLines } from '../../http/text-answer.ts'

const refusedBytesMax = 65_536
/** Time limit for reading the body of a refused request. */
export const refusedMs = 2_000

/** For an envelope: its ids. For a truncated body: only whether it is a batch. */
export function formOf(read: Envelope | Body): RefusalForm {
  if ('bytes' in read) return { batch: opensArray(read.bytes), ids: ['null'] }
  return { batch: read.batch, ids: read.entries.flatMap(({ id }) => (id === null ? [] : [id])) }
}

/**
 * Reads at most 64 KiB of a refused request for its ids. `read`: the whole body was read. Reads nothing if the client waits for
 * `100 Continue`.
 */
export async function readForm(
  exchange: HttpExchange,
  deadlines: Deadlines,
): Promise<{ readonly form: RefusalForm; readonly read: boolean }> {
  if (exchange.awaitsContinue) return { form: unknownForm, read: false }
  const body = await exchange.readBody(refusedBytesMax, deadlines)
  if (body.ending !== 'whole') return { form: formOf(body), read: false }
  try {
    return { form: formOf(parseEnvelope(body.bytes, scannedItemsMax)), read: true }
  } catch {
    return { form: unknownForm, read: true }
  }
}

/** Last limit: code that quotes a client's text in a message truncates it to 256 characters. */
const messageCharsMax = 1024

/** What the refusal of a whole request echoes: one error, or an array with one error per call. */
export type RefusalForm = { readonly batch: boolean; readonly ids: readonly string[] }

/** For a body of which nothing is known. */
export const unknownForm: RefusalForm = { batch: false, ids: ['null'] }

/** The `error` object. Faults with `bare` equal those of a node, so they have no `data`; `internal` includes the request ID. */
function errorText(fault: Fault, requestId: string): string {
  const message = fault.message.slice(0, messageCharsMax)
  const head = `{"code":${fault.rpcCode},"message":${JSON.stringify(message)}`
  const data = dataOf(fault, requestId)
  return data === undefined ? head + '}' : `${head},"data":${JSON.stringify(data)}}`
}

function dataOf(fault: Fault, requestId: string): unknown {
  if (fault.upstreamError !== undefined) return fault.upstreamError.data
  // The revert data as hex: clients decode it.
  if (typeof fault.data === 'string') return fault.data
  if (fault.row.bare === true) return undefined
  if (fault.code === 'reverted') return undefined
  if (fault.code === 'internal') return { code: fault.code, requestId }
  return { code: fault.code, ...fault.data }
}

function errorReply(id: string, error: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`
}

/** `bytes`: the length of `text` in UTF-8. */
export type RpcBody = { readonly text: string; readonly bytes: number }

/** The body that refuses a whole request. Never empty: a batch client must get an array. */
export function refusalBody(fault: Fault, form: RefusalForm, requestId: string): RpcBody {
  const error = errorText(fault, requestId)
  const ids = form.ids.length === 0 ? ['null'] : form.ids
  const replies = ids.map((id) => errorReply(id, error))
  const text = form.batch ? `[${replies.join(',')}]` : (replies[0] as string)
  return { text, bytes: Buffer.byteLength(text) }
}

/** Renders outcomes up to a total of `bytesMax`; an outcome beyond it becomes `response_too_large`. */
export class ReplyWriter {
  readonly #bytesMax: number
  readonly #requestId: string
  #text = ''
  /** Length of `#text` in UTF-8. */
  #bytes = 0
  #full = false

  constructor(bytesMax: number, requestId: string) {
    this.#bytesMax = bytesMax
    this.#requestId = requestId
  }

  /** Call in the order of the items. `id` null: a notification, which gets no reply. */
  add(id: string | null, outcome: RpcOutcome): void {
    if (id === null) {
      rollbackAll([outcome])
      return
    }
    const reply = this.#full ? this.#tooLarge(id) : this.#render(id, outcome)
    if (this.#full) rollbackAll([outcome])
    const bytes = this.#full ? Buffer.byteLength(reply) : bytesOf(id, outcome, reply)
    if (!this.#full && this.#bytes + bytes + 1 > this.#bytesMax) {
      this.#full = true
      this.add(id, outcome)
      return
    }
    if (this.#bytes > 0) {
      this.#text += ','
      this.#bytes += 1
    }
    this.#text += reply
    this.#bytes += bytes
  }

  /** The whole body; empty if every item was a notification. */
  body(batch: boolean): RpcBody {
    if (!batch || this.#bytes === 0) return { text: this.#text, bytes: this.#bytes }
    return { text: `[${this.#text}]`, bytes: this.#bytes + 2 }
  }

  #render(id: string, outcome: RpcOutcome): string {
    if ('fault' in outcome) return errorReply(id, errorText(outcome.fault, this.#requestId))
    const result = 'text' in outcome ? outcome.text : asJson(outcome.result)
    const proof = outcome.proof === undefined ? '' : `,"proof":${asJson(outcome.proof)}`
    return `${before}${id}${between}${result}${proof}}`
  }

  #tooLarge(id: string): string {
    return errorReply(id, errorText(new Fault('response_too_large'), this.#requestId))
  }
}

const before = '{"jsonrpc":"2.0","id":'
const between = ',"result":'
const frameBytes = before.length + between.length + 1

/**
 * Length of `reply` in UTF-8. Adds up known lengths if the outcome has one: Buffer.byteLength would flatten the concatenated
 * string.
 */
function bytesOf(id: string, outcome: RpcOutcome, reply: string): number {
  if (!('text' in outcome) || outcome.proof !== undefined) return Buffer.byteLength(reply)
  return frameBytes + Buffer.byteLength(id) + outcome.bytes
}

function asJson(result: unknown): string {
  return (JSON.stringify(result) as string | undefined) ?? 'null'
}

type RpcReply = {
  /** Decides the status; null: 200. */
  readonly fault: Fault | null
  readonly labels: AnswerLabels | null
  /** Empty for notifications. */
  readonly body: RpcBody
  readonly bodyUnread: boolean
}

/** Headers of every reply. */
const fixed = [
  'content-type',
  'application/json',
  'cache-control',
  'no-store',
  'x-content-type-options',
  'nosniff',
]
const plainLines = createHeadLines([...corsHeaders(undefined), ...fixed])
/** Labels of a refusal, which proves nothing. */
const refusedLines = createHeadLines(['x-cairn-verified', 'none'])

/** Sends `answer`. Closes the connection if the body of the request was not read to its end. */
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
 * Caches the header lines of the last labels, because consecutive calls mostly read the same block. Joins the lines only at their
 * second use, because joining takes longer than adding them one by one.
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

/** True only if both give the same header lines. False does not imply that the lines differ. */
function isAlike(labels: AnswerLabels, other: AnswerLabels): boolean {
  return (
    labels.block === other.block &&
    labels.blockNumber === other.blockNumber &&
    labels.verified === other.verified &&
    labels.head === other.head
  )
}

/** Header lines of the labels without the units, which differ between calls. */
function labelsOf(labels: AnswerLabels): string[] {
  const head: string[] = ['x-cairn-verified', labels.verified]
  if (labels.head !== null) {
    // `consensus:498/512` becomes two headers.
    const [name = '', signers] = labels.head.startsWith('consensus:')
      ? labels.head.split(':')
      : [labels.head]
    head.push('x-cairn-head', name)
    if (signers !== undefined) head.push('x-cairn-head-signers', signers)
  }
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
 * Seconds with one leading zero: ethers reads `1` as one millisecond and fails after twelve immediate tries. For `01` it uses its
 * own backoff.
 */
function retryAfter(fault: Fault): string {
  const rate = typeof fault.data === 'object' ? fault.data['rate'] : undefined
  const seconds =
    typeof rate === 'object' && rate !== null && 'backoff_seconds' in rate
      ? Number(rate.backoff_seconds)
      : 1
  return `0${Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1}`
}

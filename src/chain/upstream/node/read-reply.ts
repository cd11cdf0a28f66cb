// Reads the body of a response as the answer to one JSON-RPC call (JSON-RPC 2.0, section 5). Strict: a wrong id or
// version, both result and error, or a body that is not JSON is trouble, never an answer and never an invalid reply.
import { isNestedDeeper } from '../../../base/json-depth.ts'
import { classifyError } from './classify-error.ts'
import type { Redact } from './redact.ts'
import { UpstreamError } from './upstream-error.ts'

/** Nesting limit of relayed results. A trace of calls has two levels for each of at most 1025 calls. */
export const relayedLevelsMax = 3_000

export type Response = {
  readonly status: number
  readonly retryAfterMs: number | null
  readonly body: string
}

export type Sent = {
  readonly id: number
  /** The request body. */
  readonly body: string
  readonly redact: Redact
  /** Redacts error texts for callers; not applied to EVM results. */
  readonly hide: Redact
  /** The member to return; undefined: `result`. */
  readonly member?: string | undefined
}

type Members = Readonly<Record<string, unknown>>

const messageLengthMax = 1024
/** Text beyond this length is ignored. */
const textLengthMax = 16 * 1024
/** Longer error data is dropped, unless it is hex such as the data of a revert, which only the reply's size limits. */
const dataLengthMax = 64 * 1024
const dataLevelsMax = 64
const hexText = /^0x[0-9a-fA-F]*$/

/** The result, any JSON value, or another member of a reply that has a result. Throws UpstreamError. */
export function readReply(response: Response, sent: Sent): unknown {
  const { status } = response
  const reply = parseMembers(response.body)
  if (reply === null) throw plainFailure(response, sent)
  const hasResult = Object.hasOwn(reply, 'result')
  const hasError = Object.hasOwn(reply, 'error')
  if (reply['jsonrpc'] !== '2.0') throw trouble(status, 'a reply without jsonrpc 2.0')
  // An upstream that could not read the id returns null (JSON-RPC 2.0, section 5), only in an error.
  const named = reply['id'] === sent.id || (reply['id'] === null && hasError)
  if (!named) throw trouble(status, 'a reply with another id')
  if (hasResult && hasError) throw trouble(status, 'a reply with a result and an error')
  if (hasError) throw toError(reply['error'], response, sent)
  if (!hasResult) throw trouble(status, 'a reply without a result')
  if (status < 200 || status > 299) throw plainFailure(response, sent)
  return reply[sent.member ?? 'result']
}

function parseMembers(body: string): Members | null {
  try {
    const value: unknown = JSON.parse(body)
    return isMembers(value) ? value : null
  } catch {
    return null
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A body that is no JSON-RPC answer: the status determines the kind, and the text if it is plain. */
function plainFailure({ status, retryAfterMs, body }: Response, sent: Sent): UpstreamError {
  const text = body.slice(0, messageLengthMax).trim()
  const isPlain = !text.startsWith('<') && !text.startsWith('{')
  const message = isPlain ? text : ''
  const ok = status >= 200 && status <= 299
  // With a success status only this text has a meaning: some nodes use it for an unknown block.
  const signalText = ok && message.toLowerCase() !== 'not found' ? '' : message
  return new UpstreamError({
    kind: classifyError({ status, code: null, message: signalText, requestText: sent.body }),
    phase: 'answering',
    message: ok ? 'a reply that is not JSON-RPC' : `HTTP ${status}`,
    status,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  })
}

function toError(error: unknown, { status, retryAfterMs }: Response, sent: Sent): UpstreamError {
  if (!isMembers(error)) return trouble(status, 'a reply with an odd error')
  const { code, message, data } = error
  if (typeof code !== 'number' || !Number.isInteger(code)) {
    return trouble(status, 'a reply whose error has no code')
  }
  const text = typeof message === 'string' ? message : ''
  const kind = classifyError({ status, code, message: text, data, requestText: sent.body })
  const clear: Redact = (unredacted) =>
    kind === 'execution' ? sent.redact(unredacted) : sent.hide(sent.redact(unredacted))
  const shown = shownData(data, clear)
  return new UpstreamError({
    kind,
    phase: 'answering',
    message: clear(text.slice(0, textLengthMax)).slice(0, messageLengthMax),
    code,
    status,
    ...(shown === undefined ? {} : { data: shown }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  })
}

/** The bytes of a revert unchanged, as geth returns them; other data with secrets removed, or nothing. */
function shownData(data: unknown, redact: Redact): unknown {
  if (data === undefined || (typeof data === 'string' && hexText.test(data))) return data
  if (isNestedDeeper(data, dataLevelsMax)) return undefined
  try {
    const text = JSON.stringify(data)
    return text.length > dataLengthMax ? undefined : (JSON.parse(redact(text)) as unknown)
  } catch {
    return undefined
  }
}

function trouble(status: number, message: string): UpstreamError {
  return new UpstreamError({ kind: 'trouble', phase: 'answering', message, status })
}

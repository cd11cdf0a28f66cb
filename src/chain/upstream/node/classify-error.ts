// Classifies an upstream's error by HTTP status, JSON-RPC code and text. The class only routes a call: correctness
// never depends on it, because Cairn proves the answers that it serves.
import type { UpstreamErrorKind } from './upstream-error.ts'

export type UpstreamSignals = {
  /** HTTP status. */
  readonly status: number
  /** JSON-RPC error code, or null if the body was no JSON-RPC error. */
  readonly code: number | null
  /** The error's message, or the body if it was plain text. */
  readonly message: string
  readonly data?: unknown
  /** The request body. A signal that also occurs in it echoes the caller's own text and is ignored. */
  readonly requestText?: string
}

/** One class: any of its signals is sufficient. `texts`: each is one or more parts that must all occur, lower case. */
export type ErrorRow = {
  readonly kind: UpstreamErrorKind
  readonly statuses?: readonly number[]
  readonly codes?: readonly number[]
  readonly texts?: readonly (string | readonly string[])[]
}

/**
 * In order of evaluation. Callers choose the text of a revert and of a method name, and must not be able to fake a
 * "rate limit" with it: therefore EVM errors and missing methods come before every text match, and too large a range
 * comes before the code -32005, which some providers use for both.
 */
export const errorRows: readonly ErrorRow[] = [
  { kind: 'rate_limit', statuses: [429] },
  { kind: 'billing', statuses: [402] },
  { kind: 'credentials', statuses: [401, 403], codes: [401, 403] },
  { kind: 'unsupported', statuses: [405, 415], codes: [-32601, -32004] },
  {
    kind: 'execution',
    codes: [3],
    texts: ['reverted', 'vm exception', 'out of gas', 'evm error: '],
  },
  {
    kind: 'range',
    texts: [
      'block range',
      'range too large',
      'exceeds the range',
      'returned more than',
      'exceeds max results',
      'response too large',
      'query exceeds limit',
      'eth_getlogs is limited',
      'specify less number of address',
    ],
  },
  {
    kind: 'rate_limit',
    codes: [429, -32005, -32007, -33200, -33300],
    texts: [
      'rate limit',
      'too many request',
      'requests limited to',
      'request rate exceeded',
      'limit exceeded',
      'under too much load',
      'request limit reached',
    ],
  },
  {
    kind: 'billing',
    codes: [402, -33000],
    texts: [
      'monthly capacity limit',
      'limit for your current plan',
      'reached the free tier',
      'reached the quota',
      '/billing',
      'daily request count exceeded',
    ],
  },
  {
    kind: 'missing_state',
    texts: [
      // Before `credentials`: the first of these texts starts with one of its texts.
      'project id is required to access archive state',
      'access to archival, debug, or trace data is not included',
    ],
  },
  {
    kind: 'credentials',
    texts: [
      'invalid api key',
      'key is inactive',
      'unauthorized',
      'invalid project id',
      'rejected due to project id settings',
      'project id required',
    ],
  },
  {
    kind: 'no_tag',
    texts: [
      'safe block not found',
      'finalized block not found',
      'pending block not found',
      'pending block is not available',
      'pending state is not available',
      'is not a supported',
      'not a supported commitment',
      'malformed blocknumber',
    ],
  },
  {
    kind: 'proof_window',
    texts: [
      'distance to target block exceeds maximum proof window',
      'requested block is too old, block must be within',
      'root hash mismatch',
    ],
  },
  {
    kind: 'pruned',
    codes: [4444],
    texts: [
      'pruned history unavailable',
      'has been pruned',
      'old data not available due to pruning',
    ],
  },
  {
    kind: 'missing_state',
    texts: [
      'missing trie node',
      ['historical state', 'is not available'],
      "state histories haven't been fully indexed yet",
      'historical state not available in path scheme yet',
      'no state available for block',
      'node state is pruned',
      'state already discarded for',
      'required historical state unavailable',
    ],
  },
  {
    kind: 'unknown_block',
    texts: [
      'header not found',
      'header for hash not found',
      'block not found',
      'unknown block',
      'could not find block',
      'request beyond head block',
      'after last accepted block',
      'greater than latest',
    ],
  },
  { kind: 'not_canonical', texts: ['is not currently canonical'] },
  {
    kind: 'already_known',
    texts: [
      'already known',
      'known transaction',
      'already imported',
      'already in the mempool',
      'already exists',
    ],
  },
  { kind: 'nonce_too_low', texts: ['nonce too low'] },
  {
    kind: 'unsupported',
    texts: [
      'not supported',
      'method is not whitelisted',
      'is disabled',
      ['method', 'not found'],
      ['method', 'does not exist'],
      ['method', 'not available'],
      ['module', 'not found'],
      ['module', 'does not exist'],
      ['module', 'not available'],
    ],
  },
  {
    kind: 'client_fault',
    codes: [-32602, -32600],
    texts: ['invalid argument', 'param is required'],
  },
  {
    kind: 'trouble',
    statuses: [500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530],
    codes: [-32603],
  },
]

/** Only the first part of longer texts is classified. */
const classifiedLength = 4096

/** The class of an error. `other` if no row matches an error with a code; `trouble` if it had no code. */
export function classifyError(signals: UpstreamSignals): UpstreamErrorKind {
  if (isRevertText(signals.data)) return 'execution'
  const message = signals.message.slice(0, classifiedLength).toLowerCase()
  const requestText = signals.requestText?.toLowerCase() ?? ''
  const row = errorRows.find((one) => fits(one, signals, message, requestText))
  if (row !== undefined) return row.kind
  if (signals.code !== null) return 'other'
  return message.trim() === 'not found' ? 'unknown_block' : 'trouble'
}

function fits(
  row: ErrorRow,
  signals: UpstreamSignals,
  message: string,
  requestText: string,
): boolean {
  if (row.statuses?.includes(signals.status) === true) return true
  if (signals.code !== null && row.codes?.includes(signals.code) === true) return true
  return (
    row.texts?.some((text) =>
      typeof text === 'string'
        ? message.includes(text) && !requestText.includes(text)
        : text.every((part) => message.includes(part)) &&
          !text.every((part) => requestText.includes(part)),
    ) === true
  )
}

/** Parity's form: a string in `data`, with the revert's bytes after a prefix. */
function isRevertText(data: unknown): boolean {
  return typeof data === 'string' && data.startsWith('Reverted ')
}

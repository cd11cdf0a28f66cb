// Sends the same request to several upstreams in parallel and returns the answer that a quorum of them gives. Answers are
// compared in a canonical form.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import { createHash } from 'node:crypto'
import type { Params } from '../node/json-rpc-client.ts'
import type { ReadTrace } from '../../../content/ref.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

/** Answers nested deeper than the calls of a trace can be are not compared. */
const depthMax = 2048
const hex = /^0[xX][0-9a-fA-F]*$/

/** Two answers are equal if their texts are. Null for an answer that is nested too deeply to compare. */
function normaliseAnswer(value: unknown): string | null {
  try {
    return JSON.stringify(normalise(value, depthMax)) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function normalise(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hex.test(value) ? value.toLowerCase() : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) throw new RangeError(`nested deeper than ${depthMax}`)
  if (Array.isArray(value)) return value.map((one) => normalise(one, depth - 1))
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, normalise(member, depth - 1)] as const)
  // An array, so that a member named __proto__ remains a member.
  return { members }
}

/** Longer keys are replaced by their SHA-256, which is collision resistant. */
const keyLengthMax = 1024

export function shareKey(method: string, params: Params): string {
  const written = 'json' in params ? `j${sized(params.json)}` : write(params)
  const key = sized(method) + written
  return key.length <= keyLengthMax ? key : createHash('sha256').update(key).digest('base64')
}

/** Serializes a JSON value. Values outside JSON (undefined, functions) become null, as JSON.stringify does in lists. */
function write(value: unknown): string {
  if (typeof value === 'string') return `s${sized(value)}`
  if (typeof value === 'number') return `d${JSON.stringify(value)};`
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (Array.isArray(value)) return `a${value.length}:${value.map(write).join('')}`
  if (typeof value !== 'object' || value === null) return 'n'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `o${members.length}:${members.map(([name, member]) => sized(name) + write(member)).join('')}`
}

function sized(text: string): string {
  return `${text.length}:${text}`
}

export type Agreement = {
  /** The answer as the first of them returned it; null is an answer too. */
  readonly result: unknown
  /** Numbers of upstreams that returned it, and of queried upstreams. */
  readonly agreed: number
  readonly queried: number
}

export type Question = {
  readonly method: string
  readonly params: Params
  readonly k: number
  readonly watch?: ReadTrace
}

/** Null as soon as too few remain to agree; an upstream's error is not an answer. Throws `signal.reason`. */
export async function agreeOn(
  upstreams: readonly Upstream[],
  { method, params, k, watch }: Question,
  signal: AbortSignal,
): Promise<Agreement | null> {
  signal.throwIfAborted()
  const ending = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<Agreement | null>()
  const counts = new Map<string, { readonly result: unknown; agreed: number }>()
  let open = upstreams.length

  function count(result: unknown): void {
    const key = normaliseAnswer(result)
    if (key === null) return
    const answer = counts.get(key) ?? { result, agreed: 0 }
    counts.set(key, answer)
    answer.agreed++
    if (answer.agreed >= k) resolve({ ...answer, queried: upstreams.length })
  }

  function settle(): void {
    open--
    const most = Math.max(0, ...[...counts.values()].map(({ agreed }) => agreed))
    if (most + open < k) resolve(null)
  }

  async function query(upstream: Upstream): Promise<void> {
    const answered = watch?.('source', upstream.name)
    try {
      const result = await upstream.call(method, params, ending.signal, { methodClass: 'read' })
      answered?.('answered')
      count(result)
    } catch (error) {
      answered?.(error instanceof UpstreamError ? error.kind : 'left')
      if (!(error instanceof UpstreamError)) reject(error)
    }
    settle()
  }

  const leave = (): void => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    if (upstreams.length < k) return null
    for (const upstream of upstreams) void query(upstream)
    return await promise
  } finally {
    signal.removeEventListener('abort', leave)
    ending.abort(new Error('enough have answered'))
  }
}

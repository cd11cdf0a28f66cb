// Sends the same request to several upstreams in parallel and returns the answer that a quorum of them gives.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import type { ReadTrace } from '../../../content/read-trace.ts'
import type { Params } from '../node/json-rpc-client.ts'
import { normaliseAnswer } from './normalise-answer.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

export type Agreement = {
  /** As the first of them returned it; null is an answer too. */
  readonly result: unknown
  /** Upstreams that returned it, and upstreams that were queried. */
  readonly agreed: number
  readonly asked: number
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
    if (answer.agreed >= k) resolve({ ...answer, asked: upstreams.length })
  }

  function settle(): void {
    open--
    const most = Math.max(0, ...[...counts.values()].map(({ agreed }) => agreed))
    if (most + open < k) resolve(null)
  }

  async function ask(upstream: Upstream): Promise<void> {
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
    for (const upstream of upstreams) void ask(upstream)
    return await promise
  } finally {
    signal.removeEventListener('abort', leave)
    ending.abort(new Error('enough have answered'))
  }
}

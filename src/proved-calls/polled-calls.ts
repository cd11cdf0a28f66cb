// Precomputes calls that clients repeat at each head: as soon as a new head is known, before the clients send them. If a client
// stops polling, its calls are computed for one more head at most.
// Tested by src/proved-calls/polled-calls.test.ts
import { equalBytes } from '../base/hex.ts'
import { setNewest } from '../base/lru-cache.ts'
import { requestJson } from '../chain/call-json.ts'
import { type CallOwner, type CallRequest, noOverrides } from '../chain/computation.ts'
import type { RequestedCall } from '../chain/evm-executor.ts'
import type { BlockRef } from '../chain/head.ts'

export type PolledCalls = {
  /**
   * Records the call. Returns its precomputed result, also one still in progress; null if there is none or it failed. Rejects
   * only with `signal.reason`.
   */
  find(call: RequestedCall, owner: CallOwner, signal: AbortSignal): Promise<Uint8Array | null>
  /** Call for each new head. Computes the calls that were received at each of the last two heads. */
  begin(head: BlockRef, compute: Compute): void
}

type Compute = (call: RequestedCall, owner: CallOwner) => Promise<Uint8Array>

/** `heads`: number of consecutive heads at which the call was received. */
type Polled = { readonly request: CallRequest; readonly keyId: string; readonly heads: number }
/** Calls at one head, by account and by their JSON text. */
type CallsOfHead = Map<string, Map<string, Polled>>

/** Consecutive heads before a call counts as repeated. */
const headsMin = 2
/** Recorded per head. */
const accountsMax = 16
const callsPerAccountMax = 32
/** A call with more calldata is not recorded. */
const dataBytesMax = 16 * 1024
/** Calls precomputed at one head, over all accounts. */
const callsMax = 128

export function createPolledCalls(): PolledCalls {
  let head: BlockRef | null = null
  let currentCalls: CallsOfHead = new Map()
  let previousCalls: CallsOfHead = new Map()
  /** Results for `head`, by the JSON text of the call. */
  let precomputed = new Map<string, Promise<Uint8Array | null>>()
  let pending = 0

  function note(name: string, request: CallRequest, { accountId, keyId }: CallOwner): void {
    const accountCalls = currentCalls.get(accountId) ?? new Map<string, Polled>()
    setNewest(currentCalls, accountId, accountCalls, accountsMax)
    if (accountCalls.size >= callsPerAccountMax && !accountCalls.has(name)) return
    const heads = (previousCalls.get(accountId)?.get(name)?.heads ?? 0) + 1
    accountCalls.set(name, { request, keyId, heads })
  }

  async function start(compute: () => Promise<Uint8Array>): Promise<Uint8Array | null> {
    pending += 1
    try {
      return await compute()
    } catch {
      // The caller then computes the call itself and gets the error.
      return null
    } finally {
      pending -= 1
    }
  }

  return {
    async find({ request, block, overrides }, owner, signal) {
      const isPlain = overrides.state.length === 0 && Object.keys(overrides.block).length === 0
      if (head === null || !isPlain || !equalBytes(block.hash, head.hash)) return null
      if ((request.data?.length ?? 0) > dataBytesMax) return null
      const name = JSON.stringify(requestJson(request))
      note(name, request, owner)
      const result = precomputed.get(name) ?? null
      return result === null ? null : await unlessAborted(result, signal)
    },
    begin(block, compute) {
      head = block
      previousCalls = currentCalls
      currentCalls = new Map()
      precomputed = new Map()
      // Calls of the previous head are still running, so the upstreams are slow: leave them to requests of clients.
      if (pending > 0) return
      for (const [accountId, calls] of previousCalls) {
        for (const [name, call] of calls) {
          if (call.heads < headsMin || precomputed.has(name)) continue
          if (precomputed.size >= callsMax) return
          const nextCall = { request: call.request, block, overrides: noOverrides }
          const owner = { accountId, keyId: call.keyId }
          precomputed.set(
            name,
            start(() => compute(nextCall, owner)),
          )
        }
      }
    },
  }
}

async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

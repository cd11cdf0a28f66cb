// Calls that clients repeat at each head are computed when the next head is known, before they are asked. A client that stops
// costs the calls of one head, and without clients nothing is computed.
// Tested by src/proved-calls/polled-calls.test.ts
import { equalBytes } from '../base/hex.ts'
import { setNewest } from '../base/lru-cache.ts'
import { requestJson } from '../chain/call-json.ts'
import { type CallOwner, type CallRequest, noOverrides } from '../chain/computation.ts'
import type { RequestedCall } from '../chain/evm-executor.ts'
import type { BlockRef } from '../chain/head.ts'

export type PolledCalls = {
  /**
   * Remembers the call. The result if it was computed ahead, or is being computed; null if it was not, or not with success.
   * Rejects with `signal.reason` only.
   */
  find(call: RequestedCall, owner: CallOwner, signal: AbortSignal): Promise<Uint8Array | null>
  /** The network has a new head. Computes the calls that were asked at each of the last two. */
  begin(head: BlockRef, compute: Compute): void
}

type Compute = (call: RequestedCall, owner: CallOwner) => Promise<Uint8Array>

/** `heads`: in a row at which it was asked. */
type Polled = { readonly request: CallRequest; readonly keyId: string; readonly heads: number }
/** Calls of one head, by account and by their text. */
type CallsOfHead = Map<string, Map<string, Polled>>

/** Heads in a row before a call counts as repeated. */
const headsMin = 2
/** Remembered for a head. */
const accountsMax = 16
const callsPerAccountMax = 32
/** A call with more calldata is not remembered. */
const dataBytesMax = 16 * 1024
/** Computed at one head, of all accounts. */
const callsMax = 128

export function createPolledCalls(): PolledCalls {
  let head: BlockRef | null = null
  let currentCalls: CallsOfHead = new Map()
  let previousCalls: CallsOfHead = new Map()
  /** Of `head`, by the text of the call. */
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
      // The caller's own attempt tells why.
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
      // The upstreams are slower than the chain: what clients ask comes first.
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

// The Relay of a network of upstreams: each call is pinned to its block, sent as its class allows, and labelled by the
// source of the answer.
import { Fault } from '../../base/fault.ts'
import { toHex, toQuantity } from '../../base/hex.ts'
import type { Relay, Relayed, RelayedCall } from '../relay.ts'
import { faultOf } from './fault-of.ts'
import { readElsewhere, type ReadRequest } from './pool/read-from-another.ts'
import type { UpstreamPool } from './pool/upstream-pool.ts'
import { UpstreamError } from './node/upstream-error.ts'

/** `agree`: number of upstreams that must agree on an answer without a proof; below 2, only one is queried. */
export function createUpstreamRelay(parts: {
  readonly network: string
  readonly pool: Pick<UpstreamPool, 'read' | 'agree' | 'upstreams'>
  readonly agree: number
}): Relay {
  const { network, pool, agree } = parts

  async function query(
    request: RelayedCall,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Relayed> {
    const { method, watch } = request
    if (request.upstream !== undefined)
      return await queryOne(request, request.upstream, params, signal)
    if (request.provable === true && agree > 1) {
      const found = await pool.agree({ method, params, k: agree, ...(watch && { watch }) }, signal)
      if (found !== null) {
        return { result: found.result, level: `quorum:${found.agreed}/${found.queried}` }
      }
    }
    const read: ReadRequest = {
      method,
      params,
      methodClass: request.class,
      ...(watch && { watch }),
      ...(request.pin && { need: 'state', number: request.pin.block.number }),
    }
    const { result, trusted } = await pool.read(read, signal)
    return { result, level: trusted ? 'trusted' : 'none' }
  }

  /** The answer of one upstream, without comparison. */
  async function queryOne(
    { method, class: methodClass, watch }: RelayedCall,
    name: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Relayed> {
    const upstream = pool.upstreams.find((one) => one.name === name)
    if (upstream === undefined) {
      throw new Fault('absent', { detail: `${network} has no upstream of that name` })
    }
    const request = { method, params, methodClass, ...(watch && { watch }) }
    const { result, trusted } = await readElsewhere([upstream], request, signal)
    return { result, level: trusted ? 'trusted' : 'none' }
  }

  return {
    upstreams: () => pool.upstreams.map(({ name }) => name),

    async call(request, signal) {
      try {
        try {
          const relayed = await query(request, pinned(request), signal)
          return request.pin?.form === 'number' ? { ...relayed, byNumber: true } : relayed
        } catch (thrown) {
          if (!refusesHash(request, thrown)) throw thrown
          return { ...(await query(request, pinnedByNumber(request), signal)), byNumber: true }
        }
      } catch (thrown) {
        if (!(thrown instanceof UpstreamError)) throw thrown
        throw faultOf(thrown, { network, method: request.method })
      }
    },
  }
}

/** True if the error may be a refusal of a block hash: a node without EIP-1898 reports invalid params. */
function refusesHash({ pin }: RelayedCall, thrown: unknown): boolean {
  return pin?.form === 'object' && thrown instanceof UpstreamError && thrown.kind === 'client_fault'
}

function pinned(request: RelayedCall): readonly unknown[] {
  const { pin } = request
  if (pin === undefined) return request.params
  if (pin.form === 'number') return pinnedByNumber(request)
  return replaced(request.params, pin.at, { blockHash: toHex(pin.block.hash) })
}

function pinnedByNumber({ params, pin }: RelayedCall): readonly unknown[] {
  return pin === undefined ? params : replaced(params, pin.at, toQuantity(pin.block.number))
}

/** Missing arguments before the block are sent as null, which nodes treat as missing. */
function replaced(params: readonly unknown[], at: number, value: unknown): readonly unknown[] {
  return Array.from({ length: Math.max(params.length, at + 1) }, (_, index) =>
    index === at ? value : (params[index] ?? null),
  )
}

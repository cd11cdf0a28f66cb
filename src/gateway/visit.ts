// What is fixed for one HTTP request of the JSON-RPC face: each tag or number becomes a hash once, and the
// labels remember the weakest answer given.
// Tested by src/gateway/handle.test.ts
import { toBareHex } from '../base/hex.ts'
import type { Anchor, BlockRef, Network } from '../ethereum/network.ts'
import type { RpcLabels } from './gateway.ts'
import type { BlockParameter, Labels, Level } from './operation.ts'

export type ResolveBlock = (
  network: Network,
  block: BlockParameter,
  signal: AbortSignal,
) => Promise<BlockRef>

const strength: readonly Level[] = ['none', 'trusted', 'proof']

/** The memory of one request: `resolve` for its calls, `labels` for each call, `headers` at the end. */
export function createVisit(network: Network, resolveBlock: ResolveBlock, signal: AbortSignal) {
  const resolved = new Map<string, Promise<BlockRef>>()
  let weakest: Level | null = null
  let anchor: Anchor | null = null
  let shown: BlockRef | null = null
  let latest: BlockRef | null = null

  const labels: Labels = {
    level(level) {
      if (weakest === null || strength.indexOf(level) < strength.indexOf(weakest)) weakest = level
    },
    block(block, tagged) {
      shown = block
      if (tagged) anchor = network.head.anchor
    },
  }

  return {
    labels,
    async resolve(parameter: BlockParameter): Promise<BlockRef> {
      const key = memoKey(parameter)
      const known = resolved.get(key)
      const pending = known ?? resolveBlock(network, parameter, signal)
      // requireCanonical is judged on every use, so a hash is never remembered.
      if (known === undefined && !('hash' in parameter)) resolved.set(key, pending)
      const block = await pending
      labels.block(block, !('hash' in parameter))
      if ('tag' in parameter && parameter.tag === 'latest') latest = block
      return block
    },
    headers(batch: boolean, units: number): RpcLabels {
      const block = batch ? latest : shown
      return {
        verified: weakest,
        head: anchor,
        block: block?.hash ?? null,
        blockNumber: block?.number ?? null,
        units,
      }
    },
  }
}

function memoKey(parameter: BlockParameter): string {
  if ('tag' in parameter) return parameter.tag === 'pending' ? 'latest' : parameter.tag
  if ('number' in parameter) return `number:${parameter.number}`
  return `hash:${toBareHex(parameter.hash)}:${parameter.requireCanonical}`
}

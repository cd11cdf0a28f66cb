// A block parameter becomes a BlockRef. The caller remembers the result for one
// HTTP request; requireCanonical is judged on each call.
import { Fault } from '../base/fault.ts'
import { findHeader } from '../chain/blocks.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Network } from '../chain/network.ts'
import type { Read } from '../chain/read.ts'
import type { BlockParameter } from './operation.ts'

/**
 * `pending` is the latest block: a pending state cannot be proved. Throws `unknown_block`, `no_tag`,
 * `not_canonical`, and for a hash what `obtain` throws.
 */
export function* resolveBlock(network: Network, parameter: BlockParameter): Read<BlockRef> {
  if ('hash' in parameter) return yield* resolveHash(network, parameter)
  if ('number' in parameter) return yield* resolveNumber(network, parameter.number)
  switch (parameter.tag) {
    case 'latest':
    case 'pending':
      return network.head.latest()
    case 'earliest':
      return yield* resolveNumber(network, 0n)
    case 'safe':
      return network.head.safe() ?? noTag('safe block not found')
    case 'finalized':
      return network.head.finalized() ?? noTag('finalized block not found')
  }
}

function* resolveNumber({ head }: Network, number: bigint): Read<BlockRef> {
  const latest = head.latest()
  if (number === latest.number) return latest
  const block = yield* head.byNumber(number)
  if (block === null) throw new Fault('unknown_block', { detail: 'header not found' })
  return block
}

function* resolveHash(
  network: Network,
  { hash, requireCanonical }: { readonly hash: Uint8Array; readonly requireCanonical: boolean },
): Read<BlockRef> {
  const found = yield* findHeader(network, hash)
  if (found === null) throw new Fault('unknown_block', { detail: 'header for hash not found' })
  const { number } = found.header
  if (requireCanonical && !(yield* network.head.isCanonical(hash, number))) {
    throw new Fault('not_canonical')
  }
  return { network: network.name, hash, number }
}

function noTag(detail: string): never {
  throw new Fault('no_tag', { detail })
}

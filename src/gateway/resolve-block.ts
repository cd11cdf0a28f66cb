// A block parameter becomes a BlockRef (contract-rpc section 6). The caller remembers the result for one
// HTTP request; requireCanonical is judged on each call.
import { Fault } from '../base/fault.ts'
import { findHeader } from '../ethereum/blocks.ts'
import type { BlockRef } from '../ethereum/head.ts'
import type { Network } from '../ethereum/network.ts'
import type { BlockParameter } from './operation.ts'

/**
 * `pending` is the latest block: a pending state cannot be proved. Throws `unknown_block`, `no_tag`,
 * `not_canonical`, and for a hash what `obtain` throws.
 */
export function resolveBlock(
  network: Network,
  parameter: BlockParameter,
  request: { readonly signal: AbortSignal },
): BlockRef | Promise<BlockRef> {
  if ('hash' in parameter) return resolveHash(network, parameter, request.signal)
  if ('number' in parameter) return resolveNumber(network, parameter.number, request)
  switch (parameter.tag) {
    case 'latest':
    case 'pending':
      return network.head.latest()
    case 'earliest':
      return resolveNumber(network, 0n, request)
    case 'safe':
      return network.head.safe() ?? noTag('safe block not found')
    case 'finalized':
      return network.head.finalized() ?? noTag('finalized block not found')
  }
}

function resolveNumber(
  { head }: Network,
  number: bigint,
  request: { readonly signal: AbortSignal },
): BlockRef | Promise<BlockRef> {
  const latest = head.latest()
  if (number === latest.number) return latest
  const block = head.byNumber(number, request.signal)
  return block instanceof Promise ? block.then(getNumbered) : getNumbered(block)
}

function getNumbered(block: BlockRef | null): BlockRef {
  if (block === null) throw new Fault('unknown_block', { detail: 'header not found' })
  return block
}

async function resolveHash(
  network: Network,
  { hash, requireCanonical }: { readonly hash: Uint8Array; readonly requireCanonical: boolean },
  signal: AbortSignal,
): Promise<BlockRef> {
  const found = await findHeader(network, hash, signal)
  if (found === null) throw new Fault('unknown_block', { detail: 'header for hash not found' })
  const { number } = found.header
  if (requireCanonical && !(await network.head.isCanonical(hash, number, signal))) {
    throw new Fault('not_canonical')
  }
  return { network: network.name, hash, number }
}

function noTag(detail: string): never {
  throw new Fault('no_tag', { detail })
}

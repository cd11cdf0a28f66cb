// Range of block numbers of a log filter or subscription.
// Tested by test/api/filters-started.test.ts
import { Fault } from '../../base/fault.ts'
import type { LogBounds } from '../../chain/logs.ts'
import type { BlockParameter } from '../operation.ts'
import type { LogBlocks } from '../params/log-filter.ts'

/** Throws `bad_params` for a range that no later block can be in, as geth does. */
export function boundsOf(blocks: LogBlocks): LogBounds {
  if ('hash' in blocks) return { first: null, last: null }
  const [first, last] = [boundOf(blocks.from), boundOf(blocks.to)]
  const reversed = last !== null && (first === null || last < first)
  if (reversed) throw new Fault('bad_params', { detail: 'invalid block range params' })
  return { first, last }
}

function boundOf(block: BlockParameter): bigint | null {
  if ('number' in block) return block.number
  if ('tag' in block && block.tag === 'latest') return null
  if ('tag' in block && block.tag === 'earliest') return 0n
  const isPending = 'tag' in block && block.tag === 'pending'
  const detail = isPending ? 'pending logs are not supported' : 'invalid block range params'
  throw new Fault('bad_params', { detail })
}

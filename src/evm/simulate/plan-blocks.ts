// Plans the blocks of a simulation: the requested ones in order, with empty blocks in the gaps between them
// (go-ethereum internal/ethapi/simulate.go).
// Tested by src/evm/simulate/simulate.test.ts
import { Fault } from '../../base/fault.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import type { RequestedBlock } from '../../chain/computation.ts'

export type PlannedBlock = RequestedBlock & { readonly number: bigint; readonly timestamp: bigint }

/** Distance from the first block to the last. */
const blocksMax = 256n
const secondsBetween = 12n
const timestampMax = 2n ** 64n - 1n

/** Throws `block_order`, `time_order`, `over_blocks`. */
export function planBlocks(
  base: Header,
  requested: readonly RequestedBlock[],
): readonly PlannedBlock[] {
  const planned: PlannedBlock[] = []
  let { number, timestamp } = base
  for (const block of requested) {
    const nextNumber = block.block.number ?? number + 1n
    if (nextNumber <= number) {
      throw new Fault('block_order', {
        detail: `block numbers must be in order: ${nextNumber} <= ${number}`,
      })
    }
    if (nextNumber - base.number > blocksMax) throw new Fault('over_blocks')
    while (number + 1n < nextNumber) {
      number += 1n
      timestamp += secondsBetween
      planned.push({ block: {}, state: [], calls: [], number, timestamp })
    }
    const time = block.block.time ?? timestamp + secondsBetween
    if (time <= timestamp) {
      throw new Fault('time_order', {
        detail: `block timestamps must be in order: ${time} <= ${timestamp}`,
      })
    }
    if (time > timestampMax) {
      throw new Fault('time_order', { detail: `block timestamp past ${timestampMax}: ${time}` })
    }
    number = nextNumber
    timestamp = time
    planned.push({ ...block, number, timestamp })
  }
  return planned
}

// State that a simulation certainly reads: the accounts named in it, and the slots of the system contracts that the protocol reads
// and writes in each block.
// Tested by src/proved-calls/simulation-reads.test.ts
import { fromHex, toHex } from '../base/hex.ts'
import type { AccessListEntry, BlockSimulation } from '../chain/computation.ts'
import type { Header } from '../codec/ethereum/header.ts'
import {
  beaconRoots,
  blockHashes,
  consolidationRequests,
  systemSender,
  withdrawalRequests,
} from '../evm/simulate/system-calls.ts'
import { planBlocks } from '../evm/simulate/plan-blocks.ts'

/** Slots of the ring buffer of EIP-2935, and of each of the two of EIP-4788. */
const ringSlots = 8_191n
/** Of EIP-7002 and EIP-7251: excess, count, head and tail of the queue. */
const queueSlots = 4

/** `header`: of the block before the simulation. Throws the errors of `planBlocks`. */
export function simulationReads(
  header: Header,
  { blocks }: BlockSimulation,
): readonly AccessListEntry[] {
  const slots = new Map<string, Map<string, Uint8Array>>()
  function add(address: string, positions: readonly Uint8Array[] = []): void {
    const accountSlots = slots.get(address) ?? new Map<string, Uint8Array>()
    slots.set(address, accountSlots)
    for (const position of positions) accountSlots.set(toHex(position), position)
  }

  for (const { block, state, calls } of blocks) {
    if (block.feeRecipient !== undefined) add(toHex(block.feeRecipient))
    for (const { address } of block.withdrawals ?? []) add(toHex(address))
    for (const { address, stateDiff = [] } of state) {
      add(
        toHex(address),
        stateDiff.map(({ slot }) => slot),
      )
    }
    for (const { from = new Uint8Array(20), to, accessList = [] } of calls) {
      add(toHex(from))
      if (to !== undefined) add(toHex(to))
      for (const { address, storageKeys } of accessList) add(toHex(address), storageKeys)
    }
  }
  for (const { number, timestamp } of planBlocks(header, blocks)) {
    if (header.parentBeaconBlockRoot !== undefined) {
      const at = timestamp % ringSlots
      add(beaconRoots, [positionOf(at), positionOf(at + ringSlots)])
    }
    if (header.requestsHash !== undefined) {
      add(blockHashes, [positionOf((number - 1n) % ringSlots)])
    }
  }
  if (header.parentBeaconBlockRoot !== undefined) add(systemSender)
  if (header.requestsHash !== undefined) {
    const queue = Array.from({ length: queueSlots }, (_, at) => positionOf(BigInt(at)))
    add(withdrawalRequests, queue)
    add(consolidationRequests, queue)
  }
  return [...slots].map(([address, positions]) => ({
    address: fromHex(address),
    storageKeys: [...positions.values()],
  }))
}

function positionOf(number: bigint): Uint8Array {
  return fromHex(number.toString(16).padStart(64, '0'))
}

// Reads the trie nodes from the state root of a block to accounts and their slots. State roots of simulated blocks are computed
// from them.
// Tested by test/calls/proved-simulations.test.ts
import { toLatin1 } from '../base/hex.ts'
import type { AccessListEntry } from '../chain/computation.ts'
import type { Network } from '../chain/network.ts'
import type { ProvedHeader } from '../chain/proved-memory.ts'
import type { Read } from '../chain/read.ts'
import { decodeProved, walkState } from '../chain/state.ts'
import { absentAccount, decodeAccountState } from '../codec/ethereum/account-state.ts'
import { keccak256 } from '../codec/hash/keccak.ts'

/** Returns each node once. `complete` runs a read that fetches up to `proofs` proofs. Rejects with the fault of the read. */
export async function readNodes(
  { network, block }: { readonly network: Network; readonly block: ProvedHeader },
  paths: readonly AccessListEntry[],
  complete: <T>(read: Read<T>, proofs: number) => Promise<T>,
): Promise<readonly Uint8Array[]> {
  const visited: Uint8Array[] = []
  await Promise.all(
    paths.map(async ({ address, storageKeys: slots }) => {
      const at = { network, block, address }
      const { stateRoot } = block.header
      const walk = walkState(at, stateRoot, keccak256(address), { slots }, visited)
      const leaf = await complete(walk, 1 + slots.length)
      const { storageRoot } =
        leaf === null ? absentAccount : decodeProved(() => decodeAccountState(leaf))
      await Promise.all(
        slots.map((position) => {
          const context = { slots: [position] }
          return complete(walkState(at, storageRoot, keccak256(position), context, visited), 1)
        }),
      )
    }),
  )
  const distinct = new Map(visited.map((node) => [toLatin1(node), node]))
  // Copy: a view would send its whole buffer to the thread.
  return [...distinct.values()].map((node) => node.slice())
}

// The first own block of a fork. It funds the development accounts, and empties the two contracts in which every block writes
// another slot. Otherwise each new block would need a proof at the forked block, from an upstream that still has its state.
// Tested by test/fork/fork.test.ts
import { createAddressFromString } from '@ethereumjs/util'
import { fromHex } from '../../base/hex.ts'
import type { AccountChange } from '../../codec/ethereum/state-change.ts'
import { devAccounts, devBalance } from '../dev-accounts.ts'
import type { TrieStateVm } from '../engine/chain-vm.ts'
import { beaconRoots, blockHashes } from '../../evm/simulate/system-calls.ts'

/** Their code is removed: on public networks it forwards everything the accounts receive (EIP-7702). */
export const fundedAccounts: readonly AccountChange[] = devAccounts.map(({ address }) => ({
  address: fromHex(address),
  balance: devBalance,
  code: new Uint8Array(0),
}))

/** EIP-4788 and EIP-2935. The change is part of the next block. */
export async function emptyRingBuffers({ state }: TrieStateVm): Promise<void> {
  for (const name of [beaconRoots, blockHashes]) {
    const address = createAddressFromString(name)
    if ((await state.getAccount(address)) !== undefined) await state.clearStorage(address)
  }
}

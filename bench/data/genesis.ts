// Genesis of the chain for reads: the built-in one plus a contract with many slots. Cairn and anvil load it as a geth genesis.json,
// EDR account by account.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { defaultGenesis } from '../../src/devchain/default-genesis.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'

export const contract = '0x00000000000000000000000000000000000ca170'
export const chainId = 1337

/** The slot's number and its value as 32-byte hex; no value is zero. */
export type Slot = { readonly slot: string; readonly value: string }

type Account = {
  readonly balance: string
  readonly nonce?: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

export function slotsOf(count: number): readonly Slot[] {
  return Array.from({ length: count }, (_, index) => ({
    slot: `0x${index.toString(16).padStart(64, '0')}`,
    value: `0x${createHash('sha256').update(`slot ${index}`).digest('hex')}`,
  }))
}

/** Every account of the chain, by address. */
function accountsOf(slots: readonly Slot[]): Readonly<Record<string, Account>> {
  const rich = { balance: `0x${(10n ** 24n).toString(16)}` }
  return {
    ...Object.fromEntries(devAccounts.map(({ address }) => [address, rich])),
    ...Object.fromEntries(
      systemContracts.map(({ address, code }) => [address, { nonce: '0x1', balance: '0x0', code }]),
    ),
    [contract]: {
      nonce: '0x1',
      balance: '0x0',
      code: '0x5f545f5260205ff3',
      storage: Object.fromEntries(slots.map(({ slot, value }) => [slot, value])),
    },
  }
}

export async function writeGenesis(file: string, slots: readonly Slot[]): Promise<void> {
  const zero = `0x${'0'.repeat(64)}`
  await writeFile(
    file,
    JSON.stringify({
      config: defaultGenesis.config,
      nonce: '0x0',
      timestamp: '0x6553f100',
      extraData: '0x636169726e',
      gasLimit: '0x3938700',
      difficulty: '0x0',
      mixHash: zero,
      coinbase: `0x${'0'.repeat(40)}`,
      alloc: accountsOf(slots),
    }),
  )
}

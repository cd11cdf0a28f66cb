// State overrides and block overrides of eth_call and similar methods (geth's StateOverride and BlockOverrides). As in geth,
// unknown members are ignored; known but unsupported ones are refused by name.
// Tested by src/rpc/params/params.test.ts
import { toLatin1 } from '../../base/hex.ts'
import type {
  BlockOverrides,
  StateOverride,
  StorageWord,
  Withdrawal,
} from '../../chain/computation.ts'
import {
  type Members,
  type Reading,
  ifDefined,
  readAddress,
  readBig,
  readData,
  readHash,
  readList,
  readMembers,
  readOptional,
  readUint64,
  refuseArgument,
} from './arguments.ts'

/** Accounts in one set of overrides, and slots in one account. */
const accountsMax = 1_024
const slotsMax = 16_384
/** Per block. */
const withdrawalsMax = 256

/** Throws `bad_params`. */
export function parseStateOverrides(value: unknown, position: number): readonly StateOverride[] {
  return readStateOverrides(value, { position, path: 'StateOverride' })
}

/** As `parseStateOverrides`, for a part of a larger argument. */
export function readStateOverrides(value: unknown, reading: Reading): readonly StateOverride[] {
  const accounts = readMembers(value, reading, 'override.StateOverride')
  if (accounts.size > accountsMax) {
    throw refuseArgument(reading.position, `more than ${accountsMax} accounts to override`)
  }
  // If an address occurs in two spellings, the last counts, as in go-ethereum's map. So cache keys contain it once.
  const byAddress = new Map<string, StateOverride>()
  for (const [name, account] of accounts) {
    const address = readAddress(name, reading)
    const path = 'OverrideAccount'
    const members = readMembers(account, { ...reading, path }, 'override.OverrideAccount')
    byAddress.set(toLatin1(address), readAccount(address, members, { ...reading, path }))
  }
  return [...byAddress.values()]
}

function readAccount(address: Uint8Array, members: Members, reading: Reading): StateOverride {
  const target = readOptional(members, 'movePrecompileToAddress', reading, readAddress)
  const state = readOptional(members, 'state', reading, readStorage)
  const stateDiff = readOptional(members, 'stateDiff', reading, readStorage)
  return {
    address,
    ...ifDefined('balance', readOptional(members, 'balance', reading, readBig)),
    ...ifDefined('nonce', readOptional(members, 'nonce', reading, readUint64)),
    ...ifDefined('code', readOptional(members, 'code', reading, readData)),
    ...ifDefined('state', state),
    ...ifDefined('stateDiff', stateDiff),
    ...ifDefined('movePrecompileTo', target),
  }
}

function readStorage(value: unknown, reading: Reading): readonly StorageWord[] {
  const slots = readMembers(value, reading, 'map[common.Hash]common.Hash')
  if (slots.size > slotsMax) {
    throw refuseArgument(reading.position, `more than ${slotsMax} slots to override`)
  }
  return [...slots].map(([slot, word]) => ({
    slot: readHash(slot, reading),
    word: readHash(word, reading),
  }))
}

/** Throws `bad_params`. */
export function parseBlockOverrides(value: unknown, position: number): BlockOverrides {
  return readBlockOverrides(value, { position, path: 'BlockOverrides' })
}

/** As `parseBlockOverrides`, for a part of a larger argument. */
export function readBlockOverrides(value: unknown, reading: Reading): BlockOverrides {
  const members = readMembers(value, reading, 'override.BlockOverrides')
  for (const name of ['difficulty', 'withdrawals', 'beaconRoot']) {
    refuseField(members, name, reading)
  }
  return readFields(members, reading)
}

/** The same for a simulated block, which can also have a beacon root and withdrawals. */
export function readSimulatedFields(value: unknown, reading: Reading): BlockOverrides {
  const members = readMembers(value, reading, 'override.BlockOverrides')
  refuseField(members, 'difficulty', reading)
  return {
    ...readFields(members, reading),
    ...ifDefined('beaconRoot', readOptional(members, 'beaconRoot', reading, readHash)),
    ...ifDefined('withdrawals', readOptional(members, 'withdrawals', reading, readWithdrawals)),
  }
}

function refuseField(members: Members, name: string, { position }: Reading): void {
  if ((members.get(name) ?? null) === null) return
  throw refuseArgument(position, `block override "${name}" is not supported for this RPC method`)
}

function readWithdrawals(value: unknown, reading: Reading): readonly Withdrawal[] {
  if (Array.isArray(value) && value.length > withdrawalsMax) {
    throw refuseArgument(reading.position, `more than ${withdrawalsMax} withdrawals in one block`)
  }
  return readList(value, reading, 'types.Withdrawals', (item) => {
    const members = readMembers(item, reading, 'types.Withdrawal')
    const amount = (name: string) => readOptional(members, name, reading, readUint64) ?? 0n
    return {
      index: amount('index'),
      validatorIndex: amount('validatorIndex'),
      address: readOptional(members, 'address', reading, readAddress) ?? new Uint8Array(20),
      amount: amount('amount'),
    }
  })
}

function readFields(members: Members, reading: Reading): BlockOverrides {
  return {
    ...ifDefined('number', readOptional(members, 'number', reading, readUint64)),
    ...ifDefined('time', readOptional(members, 'time', reading, readUint64)),
    ...ifDefined('gasLimit', readOptional(members, 'gasLimit', reading, readUint64)),
    ...ifDefined('feeRecipient', readOptional(members, 'feeRecipient', reading, readAddress)),
    ...ifDefined('prevRandao', readOptional(members, 'prevRandao', reading, readHash)),
    ...ifDefined('baseFeePerGas', readOptional(members, 'baseFeePerGas', reading, readBig)),
    ...ifDefined('blobBaseFee', readOptional(members, 'blobBaseFee', reading, readBig)),
  }
}

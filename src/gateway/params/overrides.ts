// State overrides and block overrides of eth_call and its kin (geth's StateOverride and BlockOverrides).
// Unknown members are ignored, as geth does; known ones that are not offered are refused by name.
// Tested by src/gateway/params/params.test.ts
import type { BlockOverrides, StateOverride, StorageWord } from '../../ethereum/computation.ts'
import {
  given,
  type Members,
  type Reading,
  readAddress,
  readBig,
  readData,
  readHash,
  readMembers,
  readOptional,
  readUint64,
} from './members.ts'
import { refuseArgument } from './refuse.ts'

/** Accounts in one set of overrides, and slots in one account. */
const accountsMax = 1_024
const slotsMax = 16_384

/** Throws `bad_params`. */
export function parseStateOverrides(value: unknown, position: number): readonly StateOverride[] {
  return readStateOverrides(value, { position, path: 'StateOverride' })
}

/** The same as a part of a larger argument. */
export function readStateOverrides(value: unknown, reading: Reading): readonly StateOverride[] {
  const accounts = readMembers(value, reading, 'override.StateOverride')
  if (accounts.size > accountsMax) {
    throw refuseArgument(reading.position, `more than ${accountsMax} accounts to override`)
  }
  return [...accounts].map(([name, account]) => {
    const address = readAddress(name, reading)
    const path = 'OverrideAccount'
    const members = readMembers(account, { ...reading, path }, 'override.OverrideAccount')
    return readAccount(address, members, { ...reading, path })
  })
}

function readAccount(address: Uint8Array, members: Members, reading: Reading): StateOverride {
  if ((members.get('movePrecompileToAddress') ?? null) !== null) {
    throw refuseArgument(
      reading.position,
      'state override "movePrecompileToAddress" is not supported: precompiled contracts stay where they are',
    )
  }
  const state = readOptional(members, 'state', reading, readStorage)
  const stateDiff = readOptional(members, 'stateDiff', reading, readStorage)
  return {
    address,
    ...given('balance', readOptional(members, 'balance', reading, readBig)),
    ...given('nonce', readOptional(members, 'nonce', reading, readUint64)),
    ...given('code', readOptional(members, 'code', reading, readData)),
    ...given('state', state),
    ...given('stateDiff', stateDiff),
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

/** The same as a part of a larger argument. */
export function readBlockOverrides(value: unknown, reading: Reading): BlockOverrides {
  const members = readMembers(value, reading, 'override.BlockOverrides')
  for (const name of ['difficulty', 'withdrawals', 'beaconRoot']) {
    if ((members.get(name) ?? null) === null) continue
    throw refuseArgument(
      reading.position,
      `block override "${name}" is not supported for this RPC method`,
    )
  }
  return {
    ...given('number', readOptional(members, 'number', reading, readUint64)),
    ...given('time', readOptional(members, 'time', reading, readUint64)),
    ...given('gasLimit', readOptional(members, 'gasLimit', reading, readUint64)),
    ...given('feeRecipient', readOptional(members, 'feeRecipient', reading, readAddress)),
    ...given('prevRandao', readOptional(members, 'prevRandao', reading, readHash)),
    ...given('baseFeePerGas', readOptional(members, 'baseFeePerGas', reading, readBig)),
    ...given('blobBaseFee', readOptional(members, 'blobBaseFee', reading, readBig)),
  }
}

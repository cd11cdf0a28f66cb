// The list of storage keys of eth_getProof, and the slots by address of eth_getStorageValues.
// Tested by src/rpc/methods/state/eth_getProof.test.ts
import { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import {
  jsonTypeName,
  parseAddress,
  parseHash,
  parseStoragePosition,
  refuseArgument,
  wrongType,
} from './arguments.ts'

/** Limit per call, as in geth. */
const storageKeysMax = 1024

/** `position`: 32 bytes. `isFullLength`: the client sent 32 bytes, so the reply shows 32 bytes (go-ethereum GetProof). */
export type StorageKey = { readonly position: Uint8Array; readonly isFullLength: boolean }

/** Null means no keys. Throws `bad_params`. */
export function parseStorageKeys(value: unknown, argument: number): readonly StorageKey[] {
  if (value === null) return []
  if (!Array.isArray(value)) {
    throw refuseArgument(argument, wrongType(jsonTypeName(value), '[]string'))
  }
  if (value.length > storageKeysMax) {
    const detail = `too many storage keys requested (max ${storageKeysMax}, got ${value.length})`
    throw new Fault('bad_params', { detail })
  }
  return value.map((key: unknown) => {
    if (typeof key !== 'string') {
      throw refuseArgument(argument, wrongType(jsonTypeName(key), 'string'))
    }
    const position = parseStoragePosition(key, argument)
    const digits = /^0[xX]/.test(key) ? key.length - 2 : key.length
    return { position, isFullLength: digits > 62 }
  })
}

export type SlotsOfAccount = {
  readonly address: Uint8Array
  readonly positions: readonly Uint8Array[]
}

/**
 * `{<address>: [<32 bytes>, ...], ...}`; if an address occurs twice, the last list counts. Throws `bad_params`, and `over_slots`
 * for more than `storageKeysMax` slots in total.
 */
export function parseSlotsByAddress(value: unknown, argument: number): readonly SlotsOfAccount[] {
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    const type = 'map[common.Address][]common.Hash'
    throw refuseArgument(argument, wrongType(jsonTypeName(value), type))
  }
  const byAddress = new Map<string, SlotsOfAccount>()
  let slots = 0
  for (const [key, list] of Object.entries(value ?? {})) {
    const address = parseAddress(key, argument)
    const requested: unknown = list ?? []
    if (!Array.isArray(requested)) {
      throw refuseArgument(argument, wrongType(jsonTypeName(requested), '[]common.Hash'))
    }
    slots += requested.length
    if (slots > storageKeysMax) {
      throw new Fault('over_slots', { detail: `too many slots (max ${storageKeysMax})` })
    }
    const positions = requested.map((slot: unknown) => parseHash(slot, argument))
    byAddress.set(toBareHex(address), { address, positions })
  }
  if (slots === 0) throw new Fault('bad_params', { detail: 'empty request' })
  return [...byAddress.values()]
}

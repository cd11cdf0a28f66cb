// System calls of the protocol around a block's transactions: the block hash and beacon root contracts before them
// (EIP-2935, 4788), the request contracts after them (EIP-7002, 7251), and deposits (EIP-6110).
// Tested by src/evm/simulate/simulate.test.ts
import { createHash } from 'node:crypto'
import type { Block } from '@ethereumjs/block'
import { createAddressFromString } from '@ethereumjs/util'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import type { Log } from '../../codec/ethereum/receipt.ts'
import { mainnetDepositContract } from '../system-contracts.ts'
import type { StateVm } from '../vm-over-state.ts'

export const beaconRoots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
export const blockHashes = '0x0000f90827f1c53a10cb7a02335b175320002935'
export const withdrawalRequests = '0x00000961ef480eb55e80d19ad83579a64c007002'
export const consolidationRequests = '0x0000bbddc7ce488642fb579f8b00f3a590007251'
export const systemSender = '0xfffffffffffffffffffffffffffffffffffffffe'
const systemAddress = createAddressFromString(systemSender)
const gasLimit = 30_000_000n

const depositTopic = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
const depositLogBytes = 576
/** Start and end of each part in the log's data: key, credentials, amount, signature and index. */
const depositParts = [
  [192, 240],
  [288, 320],
  [352, 360],
  [416, 512],
  [544, 552],
] as const
/** Words of the ABI encoding: offset and length of each part (EIP-6110, is_valid_deposit_event_data). */
const depositWords = [
  [0, 160],
  [32, 256],
  [64, 320],
  [96, 384],
  [128, 512],
  [160, 48],
  [256, 32],
  [320, 8],
  [384, 96],
  [512, 8],
] as const

export async function beginBlock(machine: StateVm, block: Block, header: Header): Promise<void> {
  const { common } = machine.vm
  const { parentHash, parentBeaconBlockRoot } = header
  if (common.isActivatedEIP(4788) && parentBeaconBlockRoot !== undefined) {
    await callSystem(machine, block, beaconRoots, parentBeaconBlockRoot)
  }
  if (common.isActivatedEIP(2935)) await callSystem(machine, block, blockHashes, parentHash)
}

/**
 * Returns the requests hash of EIP-7685. Throws `execution_failed` for an invalid deposit log; with `checked` also for one with
 * wrong offsets or lengths, which a simulation does not check.
 */
export async function endBlock(
  machine: StateVm,
  block: Block,
  logs: readonly Log[],
  { checked }: { readonly checked: boolean },
): Promise<Uint8Array> {
  const { common } = machine.vm
  const requests = [
    common.isActivatedEIP(6110) ? deposits(machine, logs, checked) : new Uint8Array(0),
    common.isActivatedEIP(7002)
      ? await callSystem(machine, block, withdrawalRequests)
      : new Uint8Array(0),
    common.isActivatedEIP(7251)
      ? await callSystem(machine, block, consolidationRequests)
      : new Uint8Array(0),
  ]
  const all = createHash('sha256')
  for (const [type, data] of requests.entries()) {
    if (data.length === 0) continue
    all.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  return new Uint8Array(all.digest())
}

/** Returns the contract's return data; empty if there is no contract. */
async function callSystem(
  { vm, state }: StateVm,
  block: Block,
  name: string,
  data: Uint8Array = new Uint8Array(0),
): Promise<Uint8Array> {
  const to = createAddressFromString(name)
  if ((await state.getCode(to)).length === 0) return new Uint8Array(0)
  const caller = await state.getAccount(systemAddress)
  const { execResult } = await vm.evm.runCall({ caller: systemAddress, to, data, gasLimit, block })
  // The library increments the caller's nonce although a system call is not a transaction.
  if (caller === undefined) await state.deleteAccount(systemAddress)
  else await state.putAccount(systemAddress, caller)
  await vm.evm.journal.cleanup()
  state.originalStorageCache.clear()
  return execResult.exceptionError === undefined ? execResult.returnValue : new Uint8Array(0)
}

function deposits({ vm }: StateVm, logs: readonly Log[], checked: boolean): Uint8Array {
  const contract = (
    vm.common['_chainParams'].depositContractAddress ?? mainnetDepositContract
  ).toLowerCase()
  const parts: Uint8Array[] = []
  for (const { address, topics, data } of logs) {
    const [topic] = topics
    if (topic === undefined || toHex(address) !== contract || toHex(topic) !== depositTopic)
      continue
    if (data.length !== depositLogBytes) {
      const detail = `unable to parse deposit data: deposit wrong length: want ${depositLogBytes}, have ${data.length}`
      throw new Fault('execution_failed', { detail })
    }
    if (checked && !depositWords.every(([at, value]) => isWord(data, at, value))) {
      throw new Fault('execution_failed', { detail: 'deposit data of another layout' })
    }
    for (const [from, to] of depositParts) parts.push(data.subarray(from, to))
  }
  return new Uint8Array(Buffer.concat(parts))
}

function isWord(data: Uint8Array, at: number, value: number): boolean {
  const word = data.subarray(at, at + 32)
  const last = value % 256
  return word.every((byte, index) =>
    index === 31 ? byte === last : byte === (index === 30 ? (value - last) / 256 : 0),
  )
}

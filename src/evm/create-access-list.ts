// eth_createAccessList as in go-ethereum (internal/ethapi, eth/tracers/logger): the request runs with the list of the previous
// round until a round finds nothing new.
// Tested by src/devchain/engine/read-only-executions.test.ts
import { toBareHex, fromHex } from '../base/hex.ts'
import { contractAddress } from '../codec/ethereum/sender.ts'
import type { AccessListEntry, AccessListReport } from '../chain/computation.ts'
import { authoritiesOf } from './authorities.ts'
import { checkedGas, failureOf, prepareCall } from './prepared-call.ts'
import type { CallParts } from './call-parts.ts'
import type { CallTask, PreparedCall } from './prepared-call.ts'
import type { TimeSlice } from './time-slice.ts'
import { callOpcodes, addressOpcodes, opcodes, watchOpcodes } from './watch-opcodes.ts'
import type { Frame } from './watch-opcodes.ts'

/** Each round may find more, and the gas limit bounds the list. Real calls need two or three rounds. */
const roundsMax = 32

const slots: readonly number[] = [opcodes.sload, opcodes.sstore]

/** Address to slots, in bare hex, in the order of first access. */
type Found = Map<string, Set<string>>

/** The report includes a failure of the call. Throws `execution_failed` if the call cannot begin. */
export async function createAccessList(
  parts: CallParts,
  task: CallTask,
  slice: TimeSlice,
): Promise<AccessListReport> {
  let previous = null as Found | null
  for (let round = 0; ; round += 1) {
    const request =
      previous === null ? task.request : { ...task.request, accessList: entriesOf(previous) }
    const prepared = await prepareCall(parts, { ...task, request }, slice)
    // The gas bounds the number of signatures to recover.
    const gas = checkedGas(parts, prepared)
    const excluded = excludedOf(prepared)
    if (previous === null) {
      previous = collect(request.accessList ?? [], excluded)
      // `gasUsed` must be that of the returned list, so run again without its unnecessary entries.
      if (request.accessList !== undefined) continue
    }
    const found = collect(request.accessList ?? [], excluded)
    watch(prepared, found, excluded)
    const { execResult, totalGasSpent } = await prepared.run(gas)
    if (isSame(found, previous) || round === roundsMax) {
      const failure = failureOf(execResult)
      const error = failure?.code === 'reverted' ? 'execution reverted' : failure?.message
      return { accessList: entriesOf(previous), gasUsed: totalGasSpent, error: error ?? null }
    }
    previous = found
  }
}

/** Addresses that are always warm: listed only if the call accesses slots of theirs. */
function excludedOf({ machine, transaction, request }: PreparedCall): ReadonlySet<string> {
  const from = request.from ?? new Uint8Array(20)
  const to = request.to ?? contractAddress(from, transaction.nonce)
  const authorities = authoritiesOf(transaction).map((it) => toBareHex(it.bytes))
  const precompiles = [...machine.vm.evm.precompiles.entries()].map(([name]) => name)
  return new Set([toBareHex(from), toBareHex(to), ...authorities, ...precompiles])
}

function collect(list: readonly AccessListEntry[], excluded: ReadonlySet<string>): Found {
  const found: Found = new Map()
  for (const { address, storageKeys } of list) {
    const name = toBareHex(address)
    if (excluded.has(name)) continue
    const slotsOf = add(found, name)
    for (const key of storageKeys) slotsOf.add(toBareHex(key))
  }
  return found
}

function watch({ machine }: PreparedCall, found: Found, excluded: ReadonlySet<string>): void {
  const touch = (word: bigint | undefined) => {
    if (word === undefined) return
    const name = hexOf(word, 64).slice(24)
    if (!excluded.has(name)) add(found, name)
  }
  watchOpcodes(machine.vm, slots, (_, frame) => {
    const [slot] = top(frame, 1)
    if (slot !== undefined) add(found, toBareHex(frame.env.address.bytes)).add(hexOf(slot, 64))
  })
  watchOpcodes(machine.vm, addressOpcodes, (_, frame) => touch(top(frame, 1)[0]))
  watchOpcodes(machine.vm, callOpcodes, (_, frame) => touch(top(frame, 5)[1]))
}

/** The top `count` words of the stack, topmost first; empty if the stack has fewer. */
function top({ stack }: Frame, count: number): readonly bigint[] {
  return stack.length < count ? [] : stack.peek(count)
}

function add(found: Found, address: string): Set<string> {
  const slotsOf = found.get(address) ?? new Set()
  found.set(address, slotsOf)
  return slotsOf
}

function isSame(a: Found, b: Found): boolean {
  if (a.size !== b.size) return false
  for (const [address, keys] of a) {
    const otherSlots = b.get(address)
    if (otherSlots?.size !== keys.size) return false
    for (const key of keys) if (!otherSlots.has(key)) return false
  }
  return true
}

function entriesOf(found: Found): AccessListEntry[] {
  return [...found].map(([address, keys]) => ({
    address: fromHex(address),
    storageKeys: [...keys].map(fromHex),
  }))
}

function hexOf(word: bigint, digits: number): string {
  return word.toString(16).padStart(digits, '0')
}

// Finds the calls inside the calldata of another call (the carrier), encoded as ABI tuples `(address, …, bytes)`, or as `bytes[]` of
// calls to the carrier's own recipient: multicalls and batches of smart accounts. A carried call reads the same state as when it is sent
// alone, so its reads are recorded separately.
// Tested by src/proved-calls/carried-calls.test.ts
import { toBareHex, toLatin1 } from '../base/hex.ts'
import type { ProvedState, Reads } from './proved-state.ts'

export type CarriedCall = {
  readonly to: Uint8Array
  readonly data: Uint8Array
  /** True: the recipient of the carrier calls itself by DELEGATECALL, so the sender is that of the carrier. */
  readonly isDelegate: boolean
}

/** Maximum per calldata. Further carried calls count as part of the carrier. */
const carriedMax = 256
const wordBytes = 32
/** Words in the head of the tuple: `(address, bytes)` to `(address, bool, uint256, bytes)`. */
const headWords = [2, 3, 4] as const

/**
 * Position of the `bytes[]` among the arguments, by selector: multicall(bytes[]) of OpenZeppelin and Uniswap,
 * multicall(uint256,bytes[]) and multicall(bytes32,bytes[]) of Uniswap. Their items have no address, so the shape alone would also be that
 * of a list of data.
 */
const listArguments: ReadonlyMap<string, number> = new Map([
  ['ac9650d8', 0],
  ['5ae401dc', 1],
  ['1f0464d1', 1],
])

/** `to`: recipient of the carrier; undefined: it creates a contract. */
export function findCarriedCalls(
  data: Uint8Array,
  to: Uint8Array | undefined,
): readonly CarriedCall[] {
  const position = listArguments.get(toBareHex(data.subarray(0, 4)))
  if (position === undefined || to === undefined) return findTuples(data)
  return findItems(data.subarray(4), position).map((item) => ({
    to,
    data: item,
    isDelegate: true,
  }))
}

/** Items of the `bytes[]` at `position` in ABI-encoded arguments. */
function findItems(words: Uint8Array, position: number): readonly Uint8Array[] {
  const listAt = numberAt(words, position * wordBytes)
  const start = listAt + wordBytes
  if (start > words.length) return []
  const count = Math.min(numberAt(words, listAt), carriedMax)
  const items: Uint8Array[] = []
  for (let at = start; at < start + count * wordBytes && at < words.length; at += wordBytes) {
    const lengthAt = start + numberAt(words, at)
    const from = lengthAt + wordBytes
    if (from > words.length) continue
    const length = numberAt(words, lengthAt)
    if (length >= 4 && from + length <= words.length) {
      items.push(words.subarray(from, from + length))
    }
  }
  return items
}

/**
 * Detects tuples by shape alone: an offset to the end of the tuple's head, a length within the data, and an address in the
 * head. Only the execution shows whether the carrier makes these calls.
 */
function findTuples(data: Uint8Array): readonly CarriedCall[] {
  const found: CarriedCall[] = []
  // Skip the selector, if there is one.
  const start = data.length % wordBytes === 0 ? 0 : 4
  for (let at = start; at + 3 * wordBytes <= data.length; at += wordBytes) {
    const head = numberAt(data, at) / wordBytes
    if (!headWords.some((words) => words === head)) continue
    const lengthAt = at + wordBytes
    const length = numberAt(data, lengthAt)
    const from = lengthAt + wordBytes
    const first = lengthAt - head * wordBytes
    if (length < 4 || from + length > data.length || first < start) continue
    for (let member = first; member < at; member += wordBytes) {
      if (!isAddress(data, member)) continue
      const to = data.subarray(member + 12, member + wordBytes)
      found.push({ to, data: data.subarray(from, from + length), isDelegate: false })
      break
    }
    if (found.length === carriedMax) break
  }
  return found
}

/** The number in the word at `at`; Infinity if it needs more than 4 bytes. */
function numberAt(data: Uint8Array, at: number): number {
  for (let byte = at; byte < at + 28; byte += 1) if (data[byte] !== 0) return Infinity
  const [a = 0, b = 0, c = 0, d = 0] = data.subarray(at + 28, at + wordBytes)
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
}

/** Small values are precompiled contracts or numbers, not addresses of contracts. */
function isAddress(data: Uint8Array, at: number): boolean {
  const isShort = data.subarray(at, at + 12).every((byte) => byte === 0)
  return isShort && data.subarray(at + 12, at + 24).some((byte) => byte !== 0)
}

/** A message of the EVM. */
type Message = {
  readonly to?: { readonly bytes: Uint8Array } | undefined
  readonly data: Uint8Array
  readonly delegatecall: boolean
}

export type SplitReads = {
  readonly state: ProvedState
  /** Call these at the start and end of each message, in order. */
  begin(message: Message): void
  end(): void
  /** Reads of the carrier, without those of the carried calls. */
  ownReads(): Reads
  /** Reads of each carried call that ran, including those of the contracts it called. */
  carried(): readonly { readonly call: CarriedCall; readonly reads: Reads }[]
}

/** Wraps `state` and attributes each read to the carried call that is running. */
export function splitReads(state: ProvedState, calls: readonly CarriedCall[]): SplitReads {
  const ownReads = new Map<string, Set<string>>()
  const byName = new Map(calls.map((call) => [nameOf(call), call]))
  const carriedReads = new Map<CarriedCall, Map<string, Set<string>>>()
  let current = ownReads
  let depth = 0
  /** Depth of the running carried call. */
  let carriedDepth = 0

  function slotsOf(address: Uint8Array): Set<string> {
    const name = toLatin1(address)
    const accountSlots = current.get(name)
    if (accountSlots !== undefined) return accountSlots
    const newSlots = new Set<string>()
    current.set(name, newSlots)
    return newSlots
  }

  return {
    state: {
      ...state,
      account(address) {
        slotsOf(address)
        return state.account(address)
      },
      slot(address, storageRoot, position) {
        slotsOf(address).add(toLatin1(position))
        return state.slot(address, storageRoot, position)
      },
    },
    begin({ to, data, delegatecall }) {
      depth += 1
      if (current !== ownReads || to === undefined) return
      const call = byName.get(nameOf({ to: to.bytes, data }))
      if (call === undefined || call.isDelegate !== delegatecall) return
      current = carriedReads.get(call) ?? new Map()
      carriedReads.set(call, current)
      carriedDepth = depth
    },
    end() {
      if (current !== ownReads && depth === carriedDepth) current = ownReads
      depth -= 1
    },
    ownReads() {
      // A caller reads the account of its target before the call starts: this read alone does not count for the carrier.
      const carriedTargets = new Set([...carriedReads.keys()].map(({ to }) => toLatin1(to)))
      return new Map(
        [...ownReads].filter(([name, slots]) => slots.size > 0 || !carriedTargets.has(name)),
      )
    },
    carried: () => [...carriedReads].map(([call, reads]) => ({ call, reads })),
  }
}

function nameOf({ to, data }: Pick<CarriedCall, 'to' | 'data'>): string {
  return toLatin1(to) + toLatin1(data)
}

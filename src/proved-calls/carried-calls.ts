// Calls that the calldata of another call carries, as `(address, …, bytes)` of the ABI: multicalls, batches of smart accounts.
// Each of them reads what it would read alone, so their reads are told apart from those of the call that carries them.
// Tested by src/proved-calls/carried-calls.test.ts
import { toLatin1 } from '../base/hex.ts'
import type { ProvedState, Reads } from './proved-state.ts'

export type CarriedCall = { readonly to: Uint8Array; readonly data: Uint8Array }

/** Of one calldata: what carries more is treated as a call that carries these only. */
const carriedMax = 256
const wordBytes = 32
/** Members of the tuple before its bytes, with their offset: `(address, bytes)` to `(address, bool, uint256, bytes)`. */
const headWords = [2, 3, 4] as const

/**
 * By the shape alone: an offset that names the end of the tuple's head, a length that fits, and an address in the head.
 * Whether the call makes these calls, only its run tells.
 */
export function findCarriedCalls(data: Uint8Array): readonly CarriedCall[] {
  const found: CarriedCall[] = []
  // Behind the selector, if there is one.
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
      found.push({ to, data: data.subarray(from, from + length) })
      break
    }
    if (found.length === carriedMax) break
  }
  return found
}

/** The number in the word at `at`; infinite beyond 4 bytes. */
function numberAt(data: Uint8Array, at: number): number {
  for (let byte = at; byte < at + 28; byte += 1) if (data[byte] !== 0) return Infinity
  const [a = 0, b = 0, c = 0, d = 0] = data.subarray(at + 28, at + wordBytes)
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
}

/** Smaller addresses are of precompiled contracts, or numbers. */
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
  /** To be called at the begin and at the end of each message, in order. */
  begin(message: Message): void
  end(): void
  /** What the call that carries the others read by itself. */
  ownReads(): Reads
  /** What each carried call that ran read, with all that it called. */
  carried(): readonly { readonly call: CarriedCall; readonly reads: Reads }[]
}

/** Reads of `state`, by the carried call that runs. */
export function splitReads(state: ProvedState, calls: readonly CarriedCall[]): SplitReads {
  const ownReads = new Map<string, Set<string>>()
  const byName = new Map(calls.map((call) => [nameOf(call), call]))
  const carriedReads = new Map<CarriedCall, Map<string, Set<string>>>()
  let current = ownReads
  let depth = 0
  /** Of the carried call that runs. */
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
      if (current !== ownReads || to === undefined || delegatecall) return
      const call = byName.get(nameOf({ to: to.bytes, data }))
      if (call === undefined) return
      current = carriedReads.get(call) ?? new Map()
      carriedReads.set(call, current)
      carriedDepth = depth
    },
    end() {
      if (current !== ownReads && depth === carriedDepth) current = ownReads
      depth -= 1
    },
    ownReads() {
      // Who calls an account looks at it first.
      const carriedTargets = new Set([...carriedReads.keys()].map(({ to }) => toLatin1(to)))
      return new Map(
        [...ownReads].filter(([name, slots]) => slots.size > 0 || !carriedTargets.has(name)),
      )
    },
    carried: () => [...carriedReads].map(([call, reads]) => ({ call, reads })),
  }
}

function nameOf({ to, data }: CarriedCall): string {
  return toLatin1(to) + toLatin1(data)
}

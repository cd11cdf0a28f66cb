// The accounts that a relayed call touches, for a key with an address list. Nodes get the params unchanged, so any member that
// Cairn does not know by its exact name could change the meaning: nodes written in Go read `TO` as `to`.
// Tested by src/rpc/relay/upstream-operations.test.ts
import { parseAddress } from './arguments.ts'

/** `first`: the first param is the call. `simulated`: as in eth_simulateV1. `anywhere`: the call could touch any account. */
export type CallPosition = 'first' | 'simulated' | 'anywhere'

/** Members that change neither which code runs nor the state that it reads. */
const callMembers: ReadonlySet<string> = new Set([
  'accessList',
  'blobVersionedHashes',
  'chainId',
  'data',
  'from',
  'gas',
  'gasPrice',
  'input',
  'maxFeePerBlobGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'nonce',
  'to',
  'type',
  'value',
])

/** Members of overrides and tracer settings without that effect. */
const plainMembers: ReadonlySet<string> = new Set([
  'balance',
  'baseFeePerGas',
  'blobBaseFee',
  'blockOverrides',
  'diffMode',
  'disableCode',
  'disableStack',
  'disableStorage',
  'enableMemory',
  'enableReturnData',
  'feeRecipient',
  'gasLimit',
  'limit',
  'nonce',
  'number',
  'onlyTopCall',
  'prevRandao',
  'reexec',
  'stateOverrides',
  'time',
  'timeout',
  'tracer',
  'tracerConfig',
  'withLog',
])
const addressName = /^0x[0-9a-fA-F]{40}$/
/** The name of a tracer, not a JavaScript program. */
const tracerName = /^[0-9A-Za-z_]{0,64}$/

const simulationMembers: ReadonlySet<string> = new Set([
  'blockStateCalls',
  'returnFullTransactions',
  'traceTransfers',
  'validation',
])
const simulatedMembers: ReadonlySet<string> = new Set(['blockOverrides', 'calls', 'stateOverrides'])

/** Overrides by account, and tracer settings that contain overrides, have at most this many levels. */
const levelsMax = 4

/** `blockAt`: position of the block parameter. Empty if the call could reach any account; a set address list then refuses it. */
export function relayedAddresses(
  position: CallPosition,
  params: readonly unknown[],
  blockAt: number | null,
): readonly Uint8Array[] {
  if (position === 'anywhere') return []
  const [first, ...others] = params
  const isPlain = others.every((value, index) => index + 1 === blockAt || isHarmless(value))
  if (!isPlain) return []
  return (position === 'first' ? addressesOf([first]) : simulatedAddresses(first)) ?? []
}

/** Null: one of the calls could reach any account. */
function addressesOf(calls: readonly unknown[]): readonly Uint8Array[] | null {
  const named: Uint8Array[] = []
  for (const call of calls) {
    const to = membersOf(call, callMembers)?.get('to')
    if (to === undefined) return null
    named.push(parseAddress(to, 0))
  }
  return named
}

function simulatedAddresses(simulation: unknown): readonly Uint8Array[] | null {
  const blocks = membersOf(simulation, simulationMembers)?.get('blockStateCalls')
  if (!Array.isArray(blocks)) return null
  const calls: (readonly unknown[])[] = []
  for (const block of blocks as readonly unknown[]) {
    const members = membersOf(block, simulatedMembers)
    if (members === null) return null
    if (!isHarmless(members.get('stateOverrides')) || !isHarmless(members.get('blockOverrides'))) {
      return null
    }
    const blockCalls = members.get('calls') ?? []
    if (!Array.isArray(blockCalls)) return null
    calls.push(blockCalls)
  }
  return addressesOf(calls.flat())
}

/** Members that are not null. Null if the value is no object or has an unknown member. */
function membersOf(
  value: unknown,
  allowedNames: ReadonlySet<string>,
): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return members.every(([name]) => allowedNames.has(name)) ? new Map(members) : null
}

/** True if the value replaces neither code nor storage of an account and contains no program. */
function isHarmless(value: unknown, levels = levelsMax): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  if (levels === 0) return false
  return Object.entries(value).every(([name, member]) => {
    if (name === 'tracer') return typeof member === 'string' && tracerName.test(member)
    const isKnown = plainMembers.has(name) || addressName.test(name)
    return (member === null || isKnown) && isHarmless(member, levels - 1)
  })
}

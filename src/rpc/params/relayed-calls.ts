// The accounts that a relayed call is about, for a key with an address list. Params go to nodes as they came, so what is not
// known here in every letter could mean anything to one of them: nodes written in Go read `TO` as `to`.
// Tested by src/rpc/relay/upstream-operations.test.ts
import { parseAddress } from './arguments.ts'

/** \`first\`: the first param is the call. \`simulated\`: as in eth_simulateV1. \`anywhere\`: it could be about any account. */
export type CallPlace = 'first' | 'simulated' | 'anywhere'

/** Members that change neither whose code runs nor what it finds. */
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

/** Of overrides and tracer settings. */
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
/** A name, not a program. */
const tracerName = /^[0-9A-Za-z_]{0,64}$/

const simulationMembers: ReadonlySet<string> = new Set([
  'blockStateCalls',
  'returnFullTransactions',
  'traceTransfers',
  'validation',
])
const simulatedMembers: ReadonlySet<string> = new Set(['blockOverrides', 'calls', 'stateOverrides'])

/** Overrides by account, tracer settings with overrides in them: no honest one has more levels. */
const levelsMax = 4

/** \`blockAt\`: the param that names the block. Empty, which fails a set list, where any account could be reached. */
export function relayedAddresses(
  place: CallPlace,
  params: readonly unknown[],
  blockAt: number | null,
): readonly Uint8Array[] {
  if (place === 'anywhere') return []
  const [first, ...others] = params
  const isPlain = others.every((value, index) => index + 1 === blockAt || isHarmless(value))
  if (!isPlain) return []
  return (place === 'first' ? addressesOf([first]) : simulatedAddresses(first)) ?? []
}

/** Null: one of them could reach any account. */
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
    const asked = members.get('calls') ?? []
    if (!Array.isArray(asked)) return null
    calls.push(asked)
  }
  return addressesOf(calls.flat())
}

/** Those with a value; null when one is not known, or it is no object. */
function membersOf(
  value: unknown,
  known: ReadonlySet<string>,
): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return members.every(([name]) => known.has(name)) ? new Map(members) : null
}

/** Neither code nor storage of an account is replaced, and no program is run over the state. */
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

// Compares generated simulations on proved state with those of geth: block hashes, state roots, logs, errors and gas.
import { toQuantity } from '../../src/base/hex.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import type { Geth } from '../engines/geth.ts'
import { type Random, seeded } from '../fakes/seeded.ts'
import { assertSameCalls, type CairnWithGeth, plain, type Reply } from './behind-geth.ts'
import { type Fork, forks, type GeneratedChain } from './generated-contracts.ts'

/** The refusal for contracts that create contracts with all the gas of a request. */
const mayRefuse = /^the call reads more than 512 accounts$/

type Simulations = {
  readonly fork: Fork
  /** With `withBeaconRoots`. */
  readonly chain: GeneratedChain
  readonly seed: number
  readonly count: number
}

export async function assertSameSimulations(
  geth: Geth,
  cairn: CairnWithGeth,
  { fork, chain, seed, count }: Simulations,
): Promise<void> {
  const random = seeded(seed)
  const nextCall = () => [simulation(random, fork, chain), 'latest']
  const method = 'eth_simulateV1'
  await assertSameCalls(geth, cairn, { count, method, nextCall, view, mayRefuse })
}

type Json = Readonly<Record<string, unknown>>

const ringSlots = 8_191
const beaconRoots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'

/**
 * Adds the ring of beacon roots: a simulated block without a beacon root sets the slot of its time to zero, which contains a value.
 */
export function withBeaconRoots(genesis: Json): Json {
  const first = Number(genesis['timestamp']) % ringSlots
  const slots = Array.from({ length: 600 }, (_, index) => (first + index) % ringSlots)
  const storage = Object.fromEntries(
    slots.flatMap((slot) => [
      [word(slot), word(slot + 1)],
      [word(slot + ringSlots), word(slot + 2)],
    ]),
  )
  const alloc = genesis['alloc'] as Readonly<Record<string, Json>>
  return { ...genesis, alloc: { ...alloc, [beaconRoots]: { ...alloc[beaconRoots], storage } } }
}

function simulation(random: Random, fork: Fork, chain: GeneratedChain): Json {
  const validation = random(3) === 0
  let number = 0
  const blockStateCalls = Array.from({ length: 1 + random(3) }, () => {
    const calls = Array.from({ length: random(4) }, () => chain.nextCall())
    const isNumbered = random(3) === 0
    number += isNumbered ? 1 + random(4) : 1
    const overrides = calls.map(([, , override = {}]) => override as Json)
    return {
      blockOverrides: {
        ...blockOverrides(random, fork),
        ...(isNumbered && { number: toQuantity(number) }),
      },
      stateOverrides: Object.assign(stateOverrides(random), ...overrides) as Json,
      calls: calls.map(([call]) => priced(random, call as Json, validation)),
    }
  })
  return {
    blockStateCalls,
    validation,
    traceTransfers: random(2) === 0,
    returnFullTransactions: random(3) === 0,
  }
}

function blockOverrides(random: Random, fork: Fork): Json {
  const some = (fields: Json): Json => (random(4) === 0 ? fields : {})
  const since = (needed: Fork) => forks.indexOf(fork) >= forks.indexOf(needed)
  const withdrawal = {
    index: '0x1',
    validatorIndex: '0x2',
    address: address(random(3) === 0 ? 0x1000 + random(20) : random(2 ** 30)),
    amount: toQuantity(random(1000)),
  }
  return {
    ...some({ feeRecipient: address(random(2 ** 30)) }),
    ...some({ prevRandao: word(random(2 ** 30)) }),
    ...some({ gasLimit: toQuantity(1_000_000 + random(2 ** 25)) }),
    ...some({ baseFeePerGas: toQuantity(random(2 ** 30)) }),
    ...(since('shanghai') && some({ withdrawals: [withdrawal] })),
    ...(since('cancun') && some({ blobBaseFee: toQuantity(random(1000)) })),
    ...(since('cancun') && random(2) === 0 ? { beaconRoot: word(1 + random(2 ** 30)) } : {}),
  }
}

function stateOverrides(random: Random): Json {
  const kind = random(6)
  const changed = address(0x1000 + random(20))
  const sender = devAccounts[random(devAccounts.length)]?.address ?? ''
  if (kind === 0) return { [sender]: { balance: '0x0', nonce: '0x0' } }
  if (kind === 1) return { [sender]: { nonce: toQuantity(random(3)) } }
  if (kind === 2) return { [changed]: { state: { [word(random(6))]: word(random(2)) } } }
  if (kind === 3) return { [changed]: { stateDiff: { [word(random(6))]: word(0) } } }
  if (kind === 4) return { [changed]: { code: '0x', nonce: '0x0', balance: '0x0' } }
  return {}
}

/** Adds prices if a real transaction needs them, and sometimes a wrong nonce. */
function priced(random: Random, call: Json, validation: boolean): Json {
  const fee = toQuantity(2_000_000_000 + random(2 ** 30))
  const gas = call['gas'] ?? toQuantity(100_000 + random(1_000_000))
  return {
    ...call,
    ...(random(8) === 0 && { nonce: toQuantity(random(3)) }),
    ...(random(12) === 0 && { to: null, input: '0x6001600c60003960016000f300', data: null }),
    ...(validation || random(6) === 0 ? { maxFeePerGas: fee, gas } : {}),
    ...(validation && random(3) === 0 && { maxPriorityFeePerGas: toQuantity(random(2 ** 30)) }),
  }
}

/** Removes the differences of simulations that docs/reference/differences.md lists. */
function view(reply: Reply): Reply {
  const shown = plain(reply)
  return shown.error === undefined ? { result: withoutDifferences(shown.result) } : shown
}

function withoutDifferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDifferences)
  if (typeof value !== 'object' || value === null) return value
  const { logIndex: _, error, chainId, ...rest } = value as Json
  const shown = error === undefined ? {} : plain({ error: error as { message: string } })
  return {
    ...Object.fromEntries(
      Object.entries(rest).map(([name, member]) => [name, withoutDifferences(member)]),
    ),
    ...shown,
    ...(chainId !== undefined && rest['type'] !== '0x0' && { chainId }),
  }
}

function address(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

function word(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}

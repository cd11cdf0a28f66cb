import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { Fault } from '../base/fault.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { createLog } from '../base/log.ts'
import { findKnownNetwork } from '../base/known-networks.ts'
import { forkIdAt } from '../evm/fork-config.ts'
import { createForkSchedule } from './fork-schedule.ts'
import { nameFork } from './inline-calls.ts'
import { hasCallRules, findKnownSchedule } from './known-schedules.ts'

const log = createLog(
  () => 'debug',
  () => 0,
  () => {},
)
const prague = 1_746_612_311
const beyond = 2_000_000_000

function scheduleOf(reply: () => unknown, chainId = 1n) {
  const config = findKnownSchedule(chainId)
  if (config === null) throw new TypeError('the chain is known')
  let requestCount = 0
  const clock = createManualClock()
  const relay = {
    upstreams: () => [],
    // oxlint-disable-next-line typescript/require-await -- what it throws comes as a rejection
    call: async () => {
      requestCount += 1
      return { result: reply(), level: 'none' } as const
    },
  }
  const schedule = createForkSchedule({
    network: 'mainnet',
    config,
    genesisTime: 0n,
    genesisHash: fromHex(findKnownNetwork(chainId)?.genesisHash ?? '0x'),
    relay,
    clock,
    log,
  })
  const configAt = async (time: number) => await schedule.configAt(BigInt(time))
  return { configAt, clock, requestCount: () => requestCount }
}

/** As go-ethereum has them (core/forkid), EIP-7910 for mainnet, and op-geth for the OP Stack. */
const forkIds = [
  [1n, 1_681_338_455, '0xdce96c2d'],
  [1n, 1_710_338_135, '0x9f3d2254'],
  [1n, prague, '0xc376cf8b'],
  [1n, 1_764_798_551, '0x5167e2a6'],
  [1n, 1_767_747_671, '0x07c9462e'],
  [11_155_111n, 1_677_557_088, '0xf7f9bc08'],
  [11_155_111n, 1_761_607_008, '0x268956b6'],
  [560_048n, 1_742_999_832, '0x0929e24e'],
  [130n, 1_764_691_201, '0x94242ee1'],
  [480n, 1_777_593_600, '0x8f0e4ee7'],
  [57_073n, 1_783_526_401, '0x1d36535d'],
  [7_777_777n, 1_783_526_401, '0xf9a08342'],
  [11_155_420n, 1_763_568_001, '0x079f2fd8'],
  [4_801n, 1_777_161_600, '0x9d7efa8f'],
] as const

test("the schedules have the fork IDs of Ethereum's networks", async () => {
  for (const [chainId, activationTime, forkId] of forkIds) {
    const { configAt } = scheduleOf(() => ({ current: { activationTime, forkId } }), chainId)
    await configAt(beyond)
    const other = { current: { activationTime, forkId: '0x00000000' } }
    await rejects(scheduleOf(() => other, chainId).configAt(beyond), { code: 'unprovable' })
  }
})

test('upstreams that report the forks of the schedule are asked once an hour', async () => {
  const { configAt, clock, requestCount } = scheduleOf(() => ({
    current: { activationTime: prague, forkId: '0xc376cf8b' },
    next: null,
    last: null,
  }))
  equal(JSON.parse(await configAt(prague)).chainId, 1)
  await configAt(prague)
  equal(requestCount(), 1)
  clock.advance(3_600_001)
  await configAt(prague)
  equal(requestCount(), 2)
})

test('from a fork that the schedule lacks on, calls have no proof', async () => {
  const { configAt } = scheduleOf(() => ({
    current: { activationTime: prague, forkId: '0xc376cf8b' },
    next: { activationTime: beyond, forkId: '0x01020304' },
    last: { activationTime: beyond, forkId: '0x01020304' },
  }))
  await configAt(beyond - 1)
  await rejects(configAt(beyond), {
    code: 'unprovable',
    message: 'the upstreams of mainnet have a fork from 2000000000 on that Cairn does not know',
  })
})

test('upstreams without the method, or with another reply, change nothing', async () => {
  for (const reply of [
    () => ({}),
    () => ({ current: 'x', next: 5 }),
    () => ({ current: { activationTime: 1.5, forkId: '0x01020304' } }),
    (): never => {
      throw new Fault('no_method')
    },
    (): never => {
      throw new Fault('no_upstream')
    },
  ]) {
    equal(JSON.parse(await scheduleOf(reply).configAt(beyond)).chainId, 1)
  }
})

test('other rollups and unknown chains have no schedule for calls', () => {
  for (const chainId of [42_161n, 137n, 5n]) equal(findKnownSchedule(chainId), null)
})

test('OP Mainnet counts its forks from before Bedrock in its fork IDs', () => {
  const config = findKnownSchedule(10n)
  // op-geth starts from the first block of Bedrock, which it has for block 0.
  const bedrock = fromHex('0xdbf6a80fef073de06add9b0d14026d6e5a86c85f6d102c36d3d8e9cf89c2afd3')
  equal(toHex(forkIdAt(config ?? { chainId: 0 }, 0n, bedrock, 1_764_691_201)), '0x6f314abd')
})

test('calls of OP Stack blocks are known up to the first fork without rules here', () => {
  const known: readonly (readonly [chainId: bigint, until: bigint | null])[] = [
    [10n, 1_783_526_401n],
    [8_453n, 1_779_991_200n],
    [480n, null],
    [1n, null],
  ]
  for (const [chainId, until] of known) {
    equal(hasCallRules(chainId, until === null ? 2_000_000_000n : until - 1n), true)
    if (until !== null) equal(hasCallRules(chainId, until), false)
  }
})

test('the fork at a block has the name that its network uses', () => {
  const named = [
    [1n, 22_000_000n, 1_740_000_000n, 'cancun'],
    [1n, 23_000_000n, BigInt(prague), 'prague'],
    [1n, 24_500_000n, 1_770_000_000n, 'bpo2'],
    [11_155_111n, 9_500_000n, 1_760_500_000n, 'osaka'],
    [10n, 130_000_000n, 1_730_000_000n, 'granite'],
    [10n, 140_000_000n, 1_750_000_000n, 'isthmus'],
  ] as const
  for (const [chainId, number, timestamp, fork] of named) {
    const config = findKnownSchedule(chainId)
    equal(config === null ? null : nameFork(config, { number, timestamp }), fork)
  }
})

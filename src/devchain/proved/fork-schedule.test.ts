import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnedClock } from '../../../test/fakes/turned-clock.ts'
import { Fault } from '../../base/fault.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { createLog } from '../../base/log.ts'
import { findKnownNetwork } from '../../base/known-networks.ts'
import { forkIdAt } from '../fork-config.ts'
import { createForkSchedule } from './fork-schedule.ts'
import { findKnownSchedule } from './known-schedules.ts'

const log = createLog(
  () => 'debug',
  () => 0,
  () => {},
)
const genesisHash = fromHex(findKnownNetwork(1n)?.genesisHash ?? '0x')
const mainnet = findKnownSchedule(1n)
const prague = 1_746_612_311
const beyond = 2_000_000_000

const idAt = (time: number): string =>
  mainnet === null ? '' : toHex(forkIdAt(mainnet.config, mainnet.genesisTime, genesisHash, time))

function scheduleOf(reply: () => unknown) {
  if (mainnet === null) throw new TypeError('mainnet is known')
  let asked = 0
  const clock = createTurnedClock()
  const relay = {
    upstreams: () => [],
    // oxlint-disable-next-line typescript/require-await -- what it throws comes as a rejection
    call: async () => {
      asked += 1
      return { result: reply(), level: 'none' } as const
    },
  }
  const schedule = createForkSchedule({
    network: 'mainnet',
    ...mainnet,
    genesisHash,
    relay,
    clock,
    log,
  })
  const configAt = async (time: number) => await schedule.configAt(BigInt(time))
  return { configAt, clock, asked: () => asked }
}

test("the schedule gives the fork IDs of Ethereum's specifications", () => {
  // EIP-6122, EIP-7600 and EIP-7910.
  equal(idAt(1_681_338_455), '0xdce96c2d')
  equal(idAt(1_710_338_135), '0x9f3d2254')
  equal(idAt(prague), '0xc376cf8b')
})

test('upstreams that report the forks of the schedule are asked once an hour', async () => {
  const { configAt, clock, asked } = scheduleOf(() => ({
    current: { activationTime: prague, forkId: idAt(prague) },
    next: null,
    last: null,
  }))
  equal(JSON.parse(await configAt(prague)).chainId, 1)
  await configAt(prague)
  equal(asked(), 1)
  clock.turn(3_600_001)
  await configAt(prague)
  equal(asked(), 2)
})

test('from a fork that the schedule lacks on, calls have no proof', async () => {
  const { configAt } = scheduleOf(() => ({
    current: { activationTime: prague, forkId: idAt(prague) },
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

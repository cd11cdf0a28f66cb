// One key on several nodes: goal G6 of rate limits, with Valkey stopped and started.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pause, systemClock } from '../../src/base/clock.ts'
import { Fault } from '../../src/base/fault.ts'
import { silentLog } from '../../src/base/log.ts'
import { burstOf, createLimiter } from '../../src/access/limits/limiter.ts'
import { connectValkey, defaultValkeyLimits } from '../../src/valkey/connection.ts'
import { joinNodes } from '../../src/valkey/nodes.ts'
import { createValkeyCounters } from '../../src/valkey/valkey-counters.ts'
import { createValkeyShares } from '../../src/valkey/valkey-shares.ts'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { until } from '../fakes/until.ts'

const skip = missingValkey()
const clock = systemClock

/** Composed as in a server. */
async function openNode(t: TestContext, url: string, name: string, deadlineMs: number) {
  const limits = { ...defaultValkeyLimits, deadlineMs }
  const connection = connectValkey({ url, clock, log: silentLog, limits })
  t.after(() => connection.close())
  await connection.ready(10_000)
  const nodes = await joinNodes({ connection, name, clock })
  t.after(() => nodes.stop())
  const shares = createValkeyShares({
    connection,
    nodes: () => nodes.count,
    alone: () => 'divide',
    clock,
  })
  const limiter = createLimiter({
    clock,
    shares,
    counters: createValkeyCounters(connection),
    unitsToday: () => 0,
  })
  return { nodes, shares, limiter }
}

async function openNodes(
  t: TestContext,
  url: string,
  count: number,
  deadlineMs = defaultValkeyLimits.deadlineMs,
) {
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, n) => openNode(t, url, `node-${n}`, deadlineMs)),
  )
  await until(() => assert.ok(nodes.every(({ nodes: { count: known } }) => known === count)))
  return nodes
}

type Node = Awaited<ReturnType<typeof openNode>>

/** One call of 80 units. */
async function isAdmitted({ limiter }: Node, unitsPerSecond: number): Promise<boolean> {
  const settings = {
    unitsPerSecond,
    unitsPerDay: null,
    filesReadsPerSecond: null,
    filesWritesPerSecond: null,
  }
  try {
    await limiter.admitUnits({ keyId: 'k', settings }, 80)
    return true
  } catch (thrown) {
    assert.ok(thrown instanceof Fault && thrown.code === 'over_rate', `${String(thrown)}`)
    return false
  }
}

const perSecond = 8_000

for (const count of [2, 8]) {
  for (const load of ['constant', 'bursty'] as const) {
    test(
      `${count} nodes with a ${load} load over the rate admit burst + rate x t + rate x 0.1 s, Valkey stopped and started`,
      { skip },
      async (t) => {
        const valkey = await startValkey(t)
        const nodes = await openNodes(t, valkey.url, count)
        const began = clock.monotonic()
        const passed = (): number => (clock.monotonic() - began) / 1000
        let admitted = 0
        let isUnder = true
        const worst = { over: Number.NEGATIVE_INFINITY, at: 0 }
        const send = async (node: Node): Promise<void> => {
          if (!(await isAdmitted(node, perSecond))) return
          admitted += 80
          const most = burstOf(perSecond) + perSecond * (passed() + 0.1)
          if (admitted - most > worst.over)
            Object.assign(worst, { over: admitted - most, at: passed() })
          if (admitted > most) isUnder = false
        }
        const sending = (async () => {
          const gapMs = load === 'constant' ? 10 : 250
          // About three times the rate.
          const calls = Math.ceil((3 * perSecond * gapMs) / 1000 / 80 / count)
          while (passed() < 5) {
            await Promise.all(
              nodes.flatMap((node) => Array.from({ length: calls }, () => send(node))),
            )
            await pause(gapMs)
          }
        })()
        await pause(1_500)
        await valkey.kill()
        await until(() => assert.ok(nodes.every(({ shares }) => shares.state === 'alone')))
        await pause(1_000)
        await valkey.start()
        await until(() => assert.ok(nodes.every(({ shares }) => shares.state === 'shared')))
        await sending
        t.diagnostic(`${admitted} units in ${passed()} s; nearest: ${worst.over} at ${worst.at} s`)
        assert.ok(isUnder, `${worst.over} units too many at ${worst.at} s`)
        // The limit is also used up, except for the second in which a node learns that Valkey is back.
        assert.ok(admitted > burstOf(perSecond) + perSecond * (passed() - 2.5), `${admitted}`)
      },
    )
  }

  test(
    `${count} nodes refuse no evenly divided call below 0.9 of the rate, Valkey stopped and started`,
    { skip },
    async (t) => {
      const valkey = await startValkey(t)
      const nodes = await openNodes(t, valkey.url, count)
      const rate = 16_000
      const began = clock.monotonic()
      let sent = 0
      const sending = (async () => {
        while (clock.monotonic() - began < 6_000) {
          const due = Math.floor((0.89 * rate * (clock.monotonic() - began)) / 1000 / 80)
          for (; sent < due; sent++) {
            const node = nodes[sent % count]
            const at = `call ${sent} after ${clock.monotonic() - began} ms`
            assert.ok(node !== undefined && (await isAdmitted(node, rate)), at)
          }
          await pause(5)
        }
      })()
      await pause(1_000)
      await valkey.kill()
      await until(() => assert.ok(nodes.every(({ shares }) => shares.state === 'alone')))
      await pause(2_000)
      await valkey.start()
      await until(() => assert.ok(nodes.every(({ shares }) => shares.state === 'shared')))
      await sending
    },
  )

  test(
    `${count} nodes refuse no call below 0.9 of the rate, whichever node it reaches`,
    { skip },
    async (t) => {
      const { url } = await startValkey(t)
      // A busy machine must not reduce the rate: a deadline of 20 ms is easily missed.
      const nodes = await openNodes(t, url, count, 1_000)
      const began = clock.monotonic()
      const rate = 8_000
      let sent = 0
      while (clock.monotonic() - began < 4_000) {
        const due = Math.floor((0.9 * rate * (clock.monotonic() - began)) / 1000 / 80)
        for (; sent < due; sent++) {
          const node = nodes[sent % 3 === 0 ? sent % count : 0]
          assert.ok(node !== undefined && (await isAdmitted(node, rate)), `call ${sent}`)
        }
        await pause(5)
      }
      assert.ok(sent > 300)
    },
  )
}

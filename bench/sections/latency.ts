// Latency of a cached call over 1 and 64 connections at a constant rate that the server can sustain. Measured from a call's due
// time, so that a pause of the server affects every delayed call.
import type { Bench } from '../bench.ts'
import { sizes } from '../bench.ts'
import { storage, storageCalls } from '../data/read-calls.ts'
import type { Plan } from '../load/plan.ts'
import { median, type Measured, type Target } from '../measure.ts'
import { constantReply } from '../servers/bare.ts'

const secondsFull = 5
/** Calls per second, low enough that queues stay short. */
const aloneRate = 1000
const rate = 2000

export async function runLatency(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Latency of a cached call')
  const cairn = await bench.cairn()
  const bare = await bench.bare()
  const calls = storageCalls(cairn.slots.slice(0, sizes.cached))
  const paths = cairn.paths
  const target = (name: string, change: Partial<Plan>): Target => ({
    name: `${storage}, ${name}`,
    pid: cairn.pid,
    plan: {
      port: cairn.port,
      paths,
      calls,
      ids: 'varied',
      connections: 1,
      count: bench.calls(aloneRate * secondsFull),
      rate: aloneRate,
      ...change,
    },
  })
  const steady = { connections: 64, rate, count: bench.calls(rate * secondsFull) }
  const constant = calls.map((call) => ({ ...call, constant: constantReply }))
  const floor = (one: Target): Target => ({
    name: one.name.replace(storage, 'bare node:http'),
    pid: bare.pid,
    plan: { ...one.plan, port: bare.port, calls: constant },
  })
  const alone = target(`1 connection, ${aloneRate}/s`, {})
  const many = target(`64 connections, ${rate}/s`, steady)
  const targets = [alone, floor(alone), many, floor(many)]
  const measured = await bench.alternate(targets, sizes.cached)
  targets.forEach(({ name }, at) => report.target(name, measured[at] ?? []))
  const [one = [], , all = []] = measured
  const p99 = (of: readonly Measured[]) => median(of.map(({ p99Ms }) => p99Ms))
  report.figure(`p99 of a cached call, 1 connection, ${aloneRate}/s`, p99(one), ' ms', {
    atMost: 0.5,
  })
  report.figure(`p99 of a cached call, 64 connections, ${rate}/s`, p99(all), ' ms', { atMost: 2 })
}

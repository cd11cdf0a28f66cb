// Cached answers: 4096 slots and 4096 transactions, a new id in every call, 64 API keys, with authentication, limits and usage.
// Compared with nginx (`return 200` and a POST cache) and a bare node:http server, first at full speed, then all at one rate,
// because a server that sleeps between calls uses more processor time per call.
import type { Bench } from '../bench.ts'
import { sizes } from '../bench.ts'
import { storage, storageCalls, transaction, transactionCalls } from '../data/read-calls.ts'
import { withId, type Call, type Plan } from '../load/plan.ts'
import { ratio, type Target } from '../measure.ts'
import { cpuUs } from '../processes.ts'
import { constantReply } from '../servers/bare.ts'
import { startNginx } from '../servers/nginx.ts'

const connections = 64
const callsFull = 60_000
/** A rate that all measured servers sustain, calls per second. */
const sharedRate = 20_000

export async function runCached(bench: Bench): Promise<void> {
  bench.report.section('Cached answers')
  await compare(bench, null)
  if (bench.options.profile) return
  bench.report.section(`Cached answers, ${sharedRate.toLocaleString('en')} calls per second each`)
  await compare(bench, sharedRate)
}

async function compare(bench: Bench, rate: number | null): Promise<void> {
  const { report } = bench
  const suffix = rate === null ? '' : ` at ${rate.toLocaleString('en')}/s`
  const cairn = await bench.cairn()
  const methods = [
    { method: storage, calls: storageCalls(cairn.slots.slice(0, sizes.cached)) },
    { method: transaction, calls: transactionCalls(cairn.places.slice(0, sizes.cached)) },
  ]
  const count = bench.calls(callsFull)
  const plan = (port: number, calls: readonly Call[]): Plan => ({
    port,
    paths: cairn.paths,
    calls,
    ids: 'varied',
    connections,
    count,
    rate,
  })
  const ours = methods.map(({ method, calls }): Target => ({
    name: method + suffix,
    pid: cairn.pid,
    plan: plan(cairn.port, calls),
  }))
  const warmUp = Math.max(count / 4, sizes.cached)
  if (bench.options.profile) {
    for (const target of ours) {
      const [measured = []] = await bench.alternate([target], warmUp)
      report.target(target.name, measured)
    }
    return
  }

  const bare = await bench.bare()
  const nginx = await bench.nginx()
  const cache = await startNginx({ upstream: cairn.started.url })
  const constant = storageCalls(cairn.slots.slice(0, sizes.cached)).map(asConstant)
  const targets: Target[] = [
    ...ours,
    {
      name: `bare node:http, constant reply${suffix}`,
      pid: bare.pid,
      plan: plan(bare.port, constant),
    },
  ]
  if (nginx !== null && cache !== null) {
    targets.push({
      name: `nginx return 200${suffix}`,
      pid: nginx.pid,
      plan: plan(nginx.port, constant),
    })
    for (const { method, calls } of methods) {
      targets.push({
        name: `nginx POST cache of ${method}${suffix}`,
        pid: cache.pid,
        plan: {
          ...plan(
            cache.port,
            calls.map((call, at) => withId(call, at + 1)),
          ),
          ids: 'none',
        },
      })
    }
  }
  try {
    const measured = await bench.alternate(targets, warmUp)
    targets.forEach(({ name }, at) => report.target(name, measured[at] ?? []))
    const [
      ownStorage = [],
      ownTransaction = [],
      floor = [],
      fixed,
      cacheStorage,
      cacheTransaction,
    ] = measured
    for (const [name, own, cached] of [
      [storage, ownStorage, cacheStorage],
      [transaction, ownTransaction, cacheTransaction],
    ] as const) {
      const against = (what: string, other: typeof own, goal?: { atLeast: number }) =>
        report.figure(
          `${name}: CPU of ${what} / Cairn${suffix}`,
          ratio(other, own, 'cpuUsPerCall'),
          '',
          goal,
        )
      if (fixed !== undefined) against('nginx return 200', fixed, { atLeast: 0.4 })
      if (cached !== undefined) against('nginx POST cache', cached, { atLeast: 0.85 })
      against('bare node:http', floor)
    }
    if (cache !== null) await checkProxyCache(bench, targets.at(-1))
  } finally {
    await cache?.stop()
  }
}

/** Throws if the nginx cache forwarded calls to Cairn. */
async function checkProxyCache(bench: Bench, target: Target | undefined): Promise<void> {
  if (target === undefined) return
  const { pid } = await bench.cairn()
  const before = cpuUs(pid)
  await bench.loader.run(target.plan)
  const cpuUsPerCall = (cpuUs(pid) - before) / target.plan.count
  if (cpuUsPerCall > 3)
    throw new Error(`the nginx cache passed calls on: ${cpuUsPerCall.toFixed(1)} us a call`)
}

/** The same requests with a constant reply. */
function asConstant(call: Call): Call {
  return { ...call, constant: constantReply }
}

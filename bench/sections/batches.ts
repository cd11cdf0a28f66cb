// Batches of 100 calls for cached storage, 64 API keys.
import type { Bench } from '../bench.ts'
import { sizes } from '../bench.ts'
import { storage, storageCalls } from '../data/read-calls.ts'
import { withId, type Call } from '../load/plan.ts'
import { median, type Target } from '../measure.ts'

const perBatch = 100
const batches = 512
const connections = 16
const countFull = 12_000
const goalPerSecond = 400_000

export async function runBatches(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Batches of 100')
  const cairn = await bench.cairn()
  const target: Target = {
    name: `${storage}, batches (each call is a batch)`,
    pid: cairn.pid,
    plan: {
      port: cairn.port,
      paths: cairn.paths,
      calls: batchesOf(storageCalls(cairn.slots.slice(0, sizes.cached))),
      ids: 'none',
      connections,
      count: bench.calls(countFull),
      rate: null,
    },
  }
  const [measured = []] = await bench.alternate([target], batches * 2)
  report.target(target.name, measured)
  const perSecond = median(measured.map((one) => one.callsPerSecond)) * perBatch
  const cpuUs = median(measured.map((one) => one.cpuUsPerCall)) / perBatch
  report.figure('calls in batches', perSecond, '/s', { atLeast: goalPerSecond })
  report.figure('calls in batches, CPU per call', cpuUs, ' us')
}

/** Each batch contains the next calls of the list. A reply must contain all results in order. */
function batchesOf(calls: readonly Call[]): readonly Call[] {
  return Array.from({ length: batches }, (_, batch) => {
    const items = Array.from({ length: perBatch }, (__, at) => {
      const index = batch * perBatch + at
      const call = calls[index % calls.length]
      if (call === undefined) throw new Error('no calls to make batches of')
      return withId(call, index + 1)
    })
    return {
      request: [`[${items.map((item) => item.request[0]).join(',')}]`, ''],
      reply: [`[${items.map((item) => item.reply[0]).join(',')}]`, ''],
      means: null,
    }
  })
}

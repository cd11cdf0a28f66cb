// Runs one plan: sends its calls, checks every reply and measures its latency.
import { isGood } from './check-reply.ts'
import { openLane, type Lane } from './lane.ts'
import type { Outcome, Plan } from './plan.ts'
import type { Reply } from './splitter.ts'

const firstId = 1_000_000
const idSpan = 9_000_000

/** With a rate, latency counts from a call's due time, so that a stall affects all delayed calls. */
export async function sendPlan(plan: Plan): Promise<Outcome> {
  const { calls, count, rate } = plan
  const heads = plan.paths.map(
    (path) =>
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${plan.port}\r\n` +
      'Content-Type: application/json\r\nContent-Length: ',
  )
  const idLength = plan.ids === 'varied' ? String(firstId).length : 0
  const starts = calls.map(({ request: [before, after] }) => {
    const length = Buffer.byteLength(before) + idLength + Buffer.byteLength(after)
    return `${length}\r\n\r\n${before}`
  })
  const took = new Float64Array(count)
  // Ids also differ between runs, so that no server has a cached answer for a request body.
  const idOffset = Math.floor(Math.random() * idSpan)
  if (count < 1 || calls.length === 0) throw new Error('a plan without calls')
  let sent = 0
  let settled = 0
  let failures = 0
  let firstFailure: string | null = null
  let finish = () => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  let startedAt = 0

  const dueAt = (index: number) => startedAt + (index * 1000) / (rate ?? 1)
  const due = () =>
    rate === null ? count : Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1

  type Running = { lane: Lane | null; index: number; id: string; at: number }
  const lanes: Running[] = []

  function next(running: Running): void {
    if (sent >= count || sent >= due()) return
    const index = sent++
    const at = index % calls.length
    const id = idLength === 0 ? '' : String(firstId + ((idOffset + index) % idSpan))
    running.index = index
    running.id = id
    running.at = rate === null ? performance.now() : dueAt(index)
    const text = (heads[index % heads.length] ?? '') + starts[at] + id + calls[at]?.request[1]
    running.lane?.send(text)
  }

  function settle(running: Running, outcome: Reply | Error): void {
    took[running.index] = performance.now() - running.at
    const call = calls[running.index % calls.length]
    const good =
      !(outcome instanceof Error) && call !== undefined && isGood(outcome, call, running.id)
    if (!good) {
      failures += 1
      firstFailure ??= outcome instanceof Error ? outcome.message : describe(outcome)
    }
    settled += 1
    if (settled === count) finish()
    else next(running)
  }

  for (let at = 0; at < plan.connections; at++) {
    const running: Running = { lane: null, index: -1, id: '', at: 0 }
    running.lane = await openLane(plan.port, (outcome) => settle(running, outcome))
    lanes.push(running)
  }
  startedAt = performance.now()
  if (rate === null) lanes.forEach(next)
  else keepTime()
  await finished
  const elapsedMs = performance.now() - startedAt
  lanes.forEach(({ lane }) => lane?.close())

  // Timers have a resolution of 1 ms, so the last millisecond is a busy wait.
  function keepTime(): void {
    for (const running of lanes) {
      if (running.lane?.idle === true) next(running)
      if (sent >= due()) break
    }
    if (sent >= count) return
    if (dueAt(sent) - performance.now() > 2) setTimeout(keepTime, 1)
    else setImmediate(keepTime)
  }

  took.sort()
  const part = (share: number) => took[Math.min(count - 1, Math.floor(count * share))] ?? 0
  return {
    count,
    failures,
    firstFailure,
    elapsedMs,
    p50Ms: part(0.5),
    p99Ms: part(0.99),
    p999Ms: part(0.999),
  }
}

function describe({ status, body }: Reply): string {
  return `status ${status}: ${body.slice(0, 300)}`
}

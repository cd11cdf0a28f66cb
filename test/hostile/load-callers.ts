// Callers at a fixed pace over keep-alive connections, each request timed from the moment it was due: a server
// that stalls is charged for all that had to wait, not for one.
import { Agent, request } from 'node:http'

export type Paced = {
  /** From when a call was due to the end of its answer, milliseconds. */
  readonly latencies: readonly number[]
  readonly statuses: ReadonlyMap<number, number>
  /** Between the server's looks at the first and at the last call lay no less and no more than this, milliseconds. */
  readonly tookMs: readonly [least: number, most: number]
}

export type Pace = {
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}

/** Calls `url` with `body` at that pace, whatever the answers. */
export function callAtPace(url: string, body: string, pace: Pace): Promise<Paced> {
  const agent = new Agent({ keepAlive: true, maxSockets: pace.connections })
  const total = Math.round(pace.perSecond * pace.seconds)
  const latencies: number[] = []
  const statuses = new Map<number, number>()
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    let sent = 0
    let lastSentAt = 0
    let firstAnswerAt = 0
    let answered = 0
    const send = (dueAt: number): void => {
      const call = request(url, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      })
      call.on('response', (response) => {
        response.resume()
        response.on('end', () => {
          latencies.push(performance.now() - dueAt)
          const status = response.statusCode ?? 0
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (answered++ === 0) firstAnswerAt = performance.now()
          if (answered < total) return
          agent.destroy()
          const tookMs = [lastSentAt - firstAnswerAt, performance.now() - startedAt] as const
          resolve({ latencies, statuses, tookMs })
        })
      })
      call.on('error', reject)
      call.end(body)
      lastSentAt = performance.now()
    }
    const timer = setInterval(() => {
      const due = Math.min(
        total,
        Math.floor(((performance.now() - startedAt) / 1_000) * pace.perSecond) + 1,
      )
      for (; sent < due; sent++) send(startedAt + (sent * 1_000) / pace.perSecond)
      if (sent === total) clearInterval(timer)
    }, 1)
  })
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

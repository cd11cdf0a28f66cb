// Clients with a fixed rate over keep-alive connections. Latency counts from a request's due time, so that a stall affects all
// delayed requests.
import { Agent, request } from 'node:http'

export type PacedResult = {
  /** Milliseconds from the due time of a call to the end of its reply. */
  readonly latencies: readonly number[]
  readonly statuses: ReadonlyMap<number, number>
  /**
   * Milliseconds. `least`: minimum time on the server between two calls that it refused (429), if it refused any; `most`: maximum
   * time on the server between the first and the last call.
   */
  readonly tookMs: readonly [least: number, most: number]
}

export type Pace = {
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}

/** Sends `body` to `url` at that rate, regardless of the replies. */
export function callAtPace(url: string, body: string, pace: Pace): Promise<PacedResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: pace.connections })
  const total = Math.round(pace.perSecond * pace.seconds)
  const latencies: number[] = []
  const statuses = new Map<number, number>()
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    let sent = 0
    let firstRefusalAt = Number.POSITIVE_INFINITY
    let lastRefusedSentAt = 0
    let answered = 0
    const send = (dueAt: number): void => {
      // Before that, the request may wait for a connection.
      let sentAt = 0
      const call = request(url, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      })
      call.on('socket', () => (sentAt = performance.now()))
      call.on('response', (response) => {
        response.resume()
        response.on('end', () => {
          latencies.push(performance.now() - dueAt)
          const status = response.statusCode ?? 0
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === 429) {
            firstRefusalAt = Math.min(firstRefusalAt, performance.now())
            lastRefusedSentAt = Math.max(lastRefusedSentAt, sentAt)
          }
          if ((answered += 1) < total) return
          agent.destroy()
          const least = Math.max(0, lastRefusedSentAt - firstRefusalAt)
          resolve({ latencies, statuses, tookMs: [least, performance.now() - startedAt] })
        })
      })
      call.on('error', reject)
      call.end(body)
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

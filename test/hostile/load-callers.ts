// Clients at a fixed rate over keep-alive connections. Latency counts from the due time of a request, so that a stall
// affects all delayed requests.
import { Agent, request } from 'node:http'

export type Paced = {
  /** From when a call was due to the end of its answer, milliseconds. */
  readonly latencies: readonly number[]
  readonly statuses: ReadonlyMap<number, number>
  /**
   * Milliseconds. Between the server's looks at two calls that it refused (429) lay no less than `least`, or it refused
   * none; between those at the first and the last call of all no more than `most`.
   */
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
    let firstRefusalAt = Number.POSITIVE_INFINITY
    let lastRefusedSentAt = 0
    let answered = 0
    const send = (dueAt: number): void => {
      // It may wait for a connection before.
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

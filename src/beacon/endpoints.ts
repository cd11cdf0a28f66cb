// The beacon nodes that the light client queries. After a failure an endpoint is paused for seconds, after invalid data for
// minutes, up to an hour.
// Tested by src/beacon/light-client.test.ts
import type { Clock } from '../base/clock.ts'
import type { BeaconClient } from './beacon-client.ts'

export type Endpoint = {
  readonly client: BeaconClient
  succeeded(): void
  /** Records no reply, or no data. `text`: reason for operators. */
  failed(text: string): void
  /** Records invalid data. */
  invalidReply(rule: string): void
}

export type Endpoints = {
  /** Endpoints that are not paused. */
  usable(): readonly Endpoint[]
  /** Tries the usable endpoints in order until `attempt` resolves to true. */
  first(attempt: (endpoint: Endpoint) => Promise<boolean>): Promise<void>
  /** Problems of the endpoints for operators; null: none. */
  trouble(): string | null
}

const failureMs = { first: 1000, most: 60_000 }
const lieMs = { first: 60_000, most: 3_600_000 }

export function createEndpoints(clients: readonly BeaconClient[], clock: Clock): Endpoints {
  const all = clients.map((client) => createEndpoint(client, clock))
  const usable = (): readonly RestingEndpoint[] =>
    all.filter(({ rest }) => clock.monotonic() >= rest.until)
  return {
    usable,
    async first(attempt) {
      for (const endpoint of usable()) if (await attempt(endpoint)) return
    },
    trouble() {
      const words = all.flatMap(({ client, rest }) =>
        rest.text === null ? [] : [`${client.name}: ${rest.text}`],
      )
      return words.length === 0 ? null : words.join(', ')
    },
  }
}

type RestingEndpoint = Endpoint & {
  readonly rest: { readonly until: number; readonly text: string | null }
}

function createEndpoint(client: BeaconClient, clock: Clock): RestingEndpoint {
  let failures = 0
  let lies = 0
  let until = 0
  let text: string | null = null
  function pause(count: number, { first, most }: typeof lieMs): void {
    // Each failure restarts the pause, but never shortens it.
    until = Math.max(until, clock.monotonic() + Math.min(first * 2 ** count, most))
  }
  return {
    client,
    rest: {
      get until() {
        return until
      },
      get text() {
        return text
      },
    },
    succeeded() {
      failures = 0
      text = null
    },
    failed(why) {
      text = why
      pause(failures++, failureMs)
    },
    invalidReply(rule) {
      text = `invalid data: ${rule}`
      pause(lies++, lieMs)
    },
  }
}

// The beacon nodes that the light client may ask: one that fails rests for seconds, one that sends invalid data for
// minutes, up to an hour.
// Tested by src/beacon/light-client.test.ts
import type { Clock } from '../base/clock.ts'
import type { BeaconClient } from './beacon-client.ts'

export type Endpoint = {
  readonly client: BeaconClient
  succeeded(): void
  /** No reply, or no data. `text`: for operators. */
  failed(text: string): void
  /** Invalid data. */
  lied(rule: string): void
}

export type Endpoints = {
  /** Those that do not rest. */
  usable(): readonly Endpoint[]
  /** Tries one after the other until `attempt` resolves to true. */
  first(attempt: (endpoint: Endpoint) => Promise<boolean>): Promise<void>
  /** What is wrong with those that rest; null: nothing. */
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
    // Rests begin anew with each failure and are never shortened by one.
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
    lied(rule) {
      text = `invalid data: ${rule}`
      pause(lies++, lieMs)
    },
  }
}

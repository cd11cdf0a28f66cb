// The nodes that use the same Valkey: each renews its entry every second, and an entry without a renewal for five seconds expires.
// Tested by test/valkey/nodes.test.ts
import type { Clock } from '../base/clock.ts'
import { type ValkeyConnection, keyPrefix, script } from './connection.ts'

/**
 * KEYS: set of nodes, scored by the expiry of their entry. ARGV: name, lifetime. Returns the number of nodes and the server's
 * clock.
 */
const renewScript = script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { redis.call('ZCARD', KEYS[1]), now }`)

const renewMs = 1_000
const lifeMs = 5_000
const key = `${keyPrefix}nodes`

export type Nodes = {
  /** Live nodes as of the last reply, this one included. */
  readonly count: number
  /** Clock of this node minus that of the server, milliseconds; null: unknown. */
  readonly skewMs: number | null
  stop(): Promise<void>
}

/** Resolves after the first attempt. */
export async function joinNodes(parts: {
  readonly connection: ValkeyConnection
  readonly name: string
  readonly clock: Clock
}): Promise<Nodes> {
  const { connection, name, clock } = parts
  let count = 1
  let skewMs: number | null = null
  /** After a failure the count does not decrease until all nodes had time to renew their entries. */
  let mayFallAt = Number.NEGATIVE_INFINITY

  async function renew(): Promise<void> {
    try {
      const [known, now] = await connection.run(renewScript, [key], [name, lifeMs])
      const least = clock.monotonic() < mayFallAt ? count : 1
      count = Math.max(least, Number(known))
      skewMs = clock.now() - Number(now)
    } catch {
      // Without the server, rates are divided by the last count.
      mayFallAt = clock.monotonic() + lifeMs
    }
  }

  await renew()
  const stopTimer = clock.every(renewMs, () => void renew())
  return {
    get count() {
      return count
    },
    get skewMs() {
      return skewMs
    },
    async stop() {
      stopTimer()
      await connection.call((client) => client.zRem(key, name)).catch(() => {})
    },
  }
}

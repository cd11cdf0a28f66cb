// Daily or monthly sums over all nodes.
// Tested by test/valkey/shares.test.ts, which runs test/suites/shared-counters.suite.ts
import type { SharedCounters } from '../access/limits/period-count.ts'
import { type ValkeyConnection, keyPrefix, script } from './connection.ts'

/** KEYS: counter. ARGV: end of its period, initial sum if it does not exist, addition. Returns the sum as text. */
const addScript = script(`
local sum = (tonumber(redis.call('GET', KEYS[1]) or ARGV[2])) + tonumber(ARGV[3])
local text = string.format('%.0f', sum)
redis.call('SET', KEYS[1], text, 'PXAT', ARGV[1])
return text`)

export function createValkeyCounters(connection: ValkeyConnection): SharedCounters {
  return {
    async add(counter, ends, known, units) {
      const key = `${keyPrefix}sum:${counter}`
      const [sum] = await connection.run(addScript, [key], [ends, known, units])
      return Number(sum)
    },
  }
}

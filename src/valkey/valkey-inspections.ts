// Recorded requests of all nodes: a stream of the last requests of each key, which expires.
// Tested by test/valkey/inspections.test.ts, which runs test/suites/inspector-store.suite.ts
import { setNewest } from '../base/lru-cache.ts'
import type { InspectedRequest } from '../pipeline/inspector/inspected-request.ts'
import {
  type InspectorStore,
  defaultInspectorStoreLimits,
} from '../pipeline/inspector/inspector-store.ts'
import { type ValkeyConnection, keyPrefix, script } from './connection.ts'

/** KEYS: stream. ARGV: maximum of requests, lifetime, request. */
const putScript = script(`
redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[1], '*', 'request', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`)

/** KEYS: stream. ARGV: maximum of requests, lifetime, requests. Replaces all requests, unless they were cleared in the meantime. */
const replaceScript = script(`
if redis.call('DEL', KEYS[1]) == 0 then return 0 end
for n = 3, #ARGV do redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[1], '*', 'request', ARGV[n]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`)

type StoredRequest = Omit<InspectedRequest, 'requestId'> & Partial<InspectedRequest>

/** Lifetime after the last request of a key. */
const lifeMs = 3_600_000
/** All requests of a key are some MiB, so reading them may take longer than the usual deadline. */
const readMs = 2_000
const keysMax = 10_000

export function createValkeyInspections(
  connection: ValkeyConnection,
  requestsPerKeyMax: number = defaultInspectorStoreLimits.requestsPerKeyMax,
): InspectorStore {
  /** In the order of the last request. */
  const keys = new Map<string, true>()
  const streamOf = (keyId: string): string => `${keyPrefix}inspected:${keyId}`

  async function list(keyId: string): Promise<readonly InspectedRequest[]> {
    const entries = await connection.call(
      (client) => client.xRange(streamOf(keyId), '-', '+', { COUNT: requestsPerKeyMax }),
      readMs,
    )
    return (entries ?? []).flatMap(({ message }) => decode(message['request']))
  }

  async function rewrite(
    keyId: string,
    change: (request: InspectedRequest) => InspectedRequest,
  ): Promise<void> {
    const requests = await list(keyId)
    const changed = requests.map(change)
    if (changed.every((request, at) => request === requests[at])) return
    // If another node adds a request in between, it is lost.
    const texts = changed.map((request) => JSON.stringify(request))
    await connection.run(replaceScript, [streamOf(keyId)], [requestsPerKeyMax, lifeMs, ...texts])
  }

  return {
    put(request) {
      setNewest(keys, request.keyId, true, keysMax)
      if (!connection.mayCall()) return
      const values = [requestsPerKeyMax, lifeMs, JSON.stringify(request)]
      connection.run(putScript, [streamOf(request.keyId)], values).catch(() => {})
    },
    list,
    rewrite(keyId, change) {
      rewrite(keyId, change).catch(() => {})
    },
    clear(keyId) {
      keys.delete(keyId)
      connection.call((client) => client.del(streamOf(keyId))).catch(() => {})
    },
    keys: () => [...keys.keys()],
    bytes: 0,
  }
}

/** Returns no request if it cannot be read. Earlier versions of Cairn wrote no `requestId`. */
function decode(text: string | undefined): readonly InspectedRequest[] {
  try {
    return [{ requestId: null, ...(JSON.parse(text ?? '') as StoredRequest) }]
  } catch {
    return []
  }
}

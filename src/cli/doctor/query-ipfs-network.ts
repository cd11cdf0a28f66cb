// Asks the routers of the IPFS network for providers of the empty directory, and the server whether its network is down.
// Tested by src/cli/doctor/ipfs-network-checks.test.ts
import { systemClock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Config } from '../../config/settings.ts'
import { createHttpClient } from '../../ipfs/sources/http-client.ts'
import { reachedUrl, tlsFilesOf } from '../../server/open-access.ts'

export type QueriedIpfsNetwork = {
  /** `failure` null: it answered. */
  readonly routers: readonly { readonly host: string; readonly failure: string | null }[]
  /** The running server says so. */
  readonly isDown: boolean
}

const askMs = 5000
const replyBytesMax = 1024 * 1024
const emptyDirectory = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'

/** Null: the network is off. Takes at most a few seconds. Never throws what a router brings about. */
export async function queryIpfsNetwork(
  config: Pick<Config, 'ipfsNetwork' | 'http'>,
): Promise<QueriedIpfsNetwork | null> {
  const { mode, routers } = config.ipfsNetwork
  if (mode === 'off') return null
  const [answers, isDown] = await Promise.all([
    Promise.all(routers.map(queryRouter)),
    isNetworkDown(config),
  ])
  return { routers: answers, isDown }
}

async function queryRouter(url: string) {
  const { host } = new URL(url)
  try {
    const { status } = await ask(url, `/routing/v1/providers/${emptyDirectory}`)
    return { host, failure: status === 200 || status === 404 ? null : `status ${status}` }
  } catch (error) {
    return { host, failure: error instanceof Error ? error.message : String(error) }
  }
}

/** False where no server answers. */
async function isNetworkDown({ http }: Pick<Config, 'http'>): Promise<boolean> {
  if (http.port === 0) return false
  try {
    const { bytes } = await ask(reachedUrl(http, tlsFilesOf(http) !== null), '/readyz')
    const { details = [] } = JSON.parse(Buffer.from(bytes).toString()) as { details?: unknown[] }
    return details.includes('network_down')
  } catch {
    return false
  }
}

async function ask(url: string, path: string) {
  const clock = systemClock
  const client = createHttpClient({ url, headers: {}, connections: 1, clock })
  using deadline = withDeadline(null, askMs, clock)
  try {
    const request = { method: 'GET', path, replyBytesMax, timeoutMs: askMs } as const
    return await client.ask(request, deadline.signal)
  } finally {
    await client.close()
  }
}

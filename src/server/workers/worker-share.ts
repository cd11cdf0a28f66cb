// Decides which requests a worker answers itself: JSON-RPC of networks behind upstreams, for keys without inspection. The keeper
// serves files, the admin API, the embedded chain and inspected keys.
// Tested by src/server/workers/worker-share.test.ts
import { listedNetworks } from '../../config/saved-network.ts'
import type { Config } from '../../config/settings.ts'
import { parseTarget } from '../../http/request-head.ts'
import { type RpcPath, parseRpcPath } from '../../http/routes.ts'
import type { WorkerShare } from '../../http/server.ts'
import { createNetworkChoice } from '../../rpc/networks.ts'

const headBytesMax = 16_384

/**
 * `settings`: with the saved networks. `opened`: names of the networks that this worker serves now, which may briefly lag behind
 * the settings.
 */
export function createWorkerShare(parts: {
  readonly settings: () => Config
  readonly opened: () => readonly { readonly name: string }[]
  readonly isInspected: (key: string) => boolean
}): Pick<WorkerShare, 'serves' | 'accepts'> {
  let known: Config | null = null
  let listed: readonly { readonly name: string; readonly embedded: boolean }[] = []
  const choose = createNetworkChoice(() => listed)

  function isOwn({ network, key }: RpcPath, hostLabel: string | null): boolean {
    const settings = parts.settings()
    if (settings !== known) {
      known = settings
      listed = listedNetworks(settings)
    }
    if (key !== null && parts.isInspected(key)) return false
    try {
      const { name, embedded } = choose(network, hostLabel)
      return !embedded && parts.opened().some((one) => one.name === name)
    } catch {
      // The keeper answers with the error.
      return false
    }
  }

  return {
    serves: ({ rpcPath, target }) => isOwn(rpcPath, target.hostLabel),
    accepts(first) {
      const head = first.toString('latin1', 0, headBytesMax)
      const end = head.indexOf('\r\n\r\n')
      const sent = /^[A-Z]+ (\S+) HTTP\/1\.[01]\r\n/.exec(head)?.[1]
      // An incomplete head: the keeper reads the rest.
      if (end < 0 || sent === undefined) return false
      const host = /\r\nhost:[ \t]*([^\r\n]*)/i.exec(head.slice(0, end + 2))?.[1]?.trimEnd()
      const target = parseTarget(sent, host)
      if (typeof target === 'string') return false
      const rpcPath = parseRpcPath(target.path)
      return rpcPath !== null && isOwn(rpcPath, target.hostLabel)
    },
  }
}

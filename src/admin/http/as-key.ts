// JSON-RPC and IPFS API for the dashboard, with a key of the account: `/accounts/{account}/keys/{key}/rpc/{network}` takes
// the requests of `/v3/<key>`, `…/files/{command}` those of `/api/v0/<command>`. The session authenticates; limits, units
// and usage are those of the key. Its allowlists do not apply: they restrict the origin of app requests.
// Tested by test/admin.test.ts
import type { Caller } from '../../access/accounts/caller.ts'
import { Fault } from '../../base/fault.ts'
import { type Principal, authorizeRole } from '../principal.ts'
import type { RequestHandler } from '../../http/node-exchange.ts'
import type { RpcApi } from '../../http/routes.ts'
import type { AsKey } from './admin-handler.ts'

export type AsKeyParts = {
  /** The key with its secret, without its lists; null: no such key in the account, or it has expired. */
  readonly callerOf: (accountId: string, keyId: string) => Caller | null
  readonly rpc: RpcApi
  /** The IPFS API for an authenticated caller; `path`: `/api/v0/<command>`. */
  readonly files: (as: { readonly caller: Caller; readonly path: string }) => RequestHandler
}

const form = /^\/accounts\/([^/]+)\/keys\/([^/]+)\/(rpc|files)\/(.+)$/

export function createAsKey({ callerOf, rpc, files }: AsKeyParts): AsKey {
  return async (exchange, path, actor) => {
    const match = form.exec(path)
    if (match === null) return false
    const [, account = '', key = '', face = '', rest = ''] = match
    const caller = enter(actor, account, key)
    if (face === 'files') await files({ caller, path: `/api/v0/${rest}` })(exchange)
    else await rpc(exchange, { network: rest, webSocket: false, key: null, caller })
    return true
  }

  function enter(actor: Principal | null, account: string, key: string): Caller {
    authorizeRole('member', account, actor)
    const caller = callerOf(account, key)
    if (caller === null) throw new Fault('absent', { detail: `there is no key ${key} that works` })
    return caller
  }
}

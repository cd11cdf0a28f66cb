// Access of admin operations to the inspector: recorded requests, and replaying one of them as its key.
// Tested by test/admin/inspector.test.ts
import type { RpcPipeline } from '../rpc/rpc-pipeline.ts'
import type { Caller } from '../access/accounts/caller.ts'
import type { Network } from '../chain/network.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'

export type InspectorAccess = {
  readonly inspector: Inspector
  readonly gateway: Pick<RpcPipeline, 'authenticateRpc' | 'runRpc'>
  readonly networks: () => readonly Network[]
  /** The key with its secret and without its lists; null: no such key of the account works. */
  readonly callerOf: (accountId: string, keyId: string) => Caller | null | Promise<Caller | null>
}

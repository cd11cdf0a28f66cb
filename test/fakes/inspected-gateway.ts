// A gateway over one fake network with an inspected key: one chain, and two upstreams whose replies differ from the proved answers.
import type { Caller } from '../../src/access/accounts/caller.ts'
import {
  defaultAccountSettings,
  defaultKeySettings,
  type KeySettings,
} from '../../src/access/accounts/key-settings.ts'
import type { Clock } from '../../src/base/clock.ts'
import { Fault } from '../../src/base/fault.ts'
import { silentLog } from '../../src/base/log.ts'
import { importProfiles } from '../../src/codec/ipld/import-profile.ts'
import { completeRead } from '../../src/chain/read.ts'
import type { RelayedCall } from '../../src/chain/relay.ts'
import { type Pipeline, createPipeline } from '../../src/server/open-gateway.ts'
import type { InspectorAccess } from '../../src/admin/inspector-access.ts'
import { createInspector } from '../../src/pipeline/inspector/inspector.ts'
import { createAnswerCache } from '../../src/rpc/answer-cache.ts'
import type { RpcOperation } from '../../src/rpc/operation.ts'
import { resolveBlock } from '../../src/rpc/request-context.ts'
import type { Files } from '../../src/ipfs/files.ts'
import { createTestMeters } from './files/transfer-meters.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './upstream/network.ts'
import { openPaths } from './files/path-rules.ts'

export const inspectedKey = 'opaque-key-0001'
export const inspectedSecret = 'opaque-secret-0001'

export type InspectedGateway = InspectorAccess & {
  readonly gateway: Pipeline
  readonly caller: Caller
  /** Settings of the key; can be changed. */
  settings: KeySettings
  /** Calls to the upstreams. */
  readonly relayed: RelayedCall[]
  /** Charged units, by request. */
  readonly admitted: number[]
}

export function openInspectedGateway(clock: Clock): InspectedGateway {
  const relayed: RelayedCall[] = []
  const admitted: number[] = []
  const head = { network: 'dev', hash: new Uint8Array(32).fill(7), number: 9n }
  const network = createFakeNetwork({
    name: 'dev',
    head: createFakeHead([head]),
    obtain: createFakeObtain([]),
    relay: {
      upstreams: () => ['one', 'two'],
      async call(call) {
        relayed.push(call)
        return { result: { nonce: '0x5', code: call.upstream }, level: 'none' }
      },
    },
  })
  const balance: RpcOperation<readonly unknown[]> = {
    name: 'eth_getBalance',
    units: 80,
    parse(params) {
      if (params.length === 0) throw new Fault('bad_params', { detail: 'missing' })
      return params
    },
    async run(params, call) {
      call.labels.level('proof')
      await completeRead(call.resolve({ tag: 'latest' }), call.signal)
      return { nonce: '0x5', block: params[1] ?? 'latest' }
    },
  }
  const caller: Caller = {
    accountId: 'a',
    accountName: 'first',
    keyId: 'k',
    hasCard: false,
    get settings() {
      return opened.settings
    },
    quotas: defaultAccountSettings,
    withSecret: true,
    allowlists: null,
  }
  const inspector = createInspector({ settingsOf: () => opened.settings, clock })
  const gateway = createPipeline({
    networks: () => [network],
    files: {} as Files,
    authenticate(key, secret) {
      if (key !== inspectedKey) throw new Fault('bad_key')
      if (secret !== null && secret !== inspectedSecret) throw new Fault('bad_secret')
      return caller
    },
    cardGate: null,
    admitUnits: (_caller, units) => void admitted.push(units),
    refundUnits: () => {},
    chargeUnits: () => {},
    admitFiles: () => {},
    transferMeters: createTestMeters(),
    importProfileOf: () => importProfiles['unixfs-v0-2015'],
    paths: openPaths,
    publicFiles: {} as Files,
    inspector,
    count: () => {},
    countBytes: () => {},
    operationsOf: () => ({
      find: (method) => (method === balance.name ? (balance as RpcOperation<unknown>) : null),
    }),
    resolveBlock,
    answerCache: createAnswerCache({ bytesMax: 0 }),
    eventsOf: () => ({ join: () => () => {} }),
    clock,
    log: silentLog,
  })
  const opened: InspectedGateway = {
    gateway,
    inspector,
    networks: () => [network],
    callerOf: (account, key) => (account === 'a' && key === 'k' ? caller : null),
    caller,
    settings: { ...defaultKeySettings, inspect: true, inspectBodies: true },
    relayed,
    admitted,
  }
  return opened
}

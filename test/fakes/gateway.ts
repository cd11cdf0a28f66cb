// A Gateway for tests of the JSON-RPC API: a few keys with fixed outcomes, a few methods with fixed results.
import type { Caller } from '../../src/access/accounts/caller.ts'
import {
  defaultAccountSettings,
  defaultKeySettings,
} from '../../src/access/accounts/key-settings.ts'
import { Fault } from '../../src/base/fault.ts'
import type { Network } from '../../src/chain/network.ts'
import type { Pipeline } from '../../src/server/open-gateway.ts'
import type { RpcItem, RpcOutcome } from '../../src/rpc/rpc-pipeline.ts'
import { createNetworkChoice } from '../../src/rpc/networks.ts'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { isFree, refusalUnits } from '../../src/pipeline/price.ts'

export const goodKey = 'key_good_0001'
export const secret = 'open-sesame'

const caller: Caller = {
  accountId: 'a',
  accountName: 'first',
  keyId: 'k',
  hasCard: true,
  settings: defaultKeySettings,
  quotas: defaultAccountSettings,
  withSecret: false,
  allowlists: null,
}

/** Keys that authenticate and are refused at admission. */
const admission: Readonly<Record<string, Fault>> = {
  key_rate_0001: new Fault('over_rate', {
    data: { rate: { allowed_rps: 1, current_rps: 2, backoff_seconds: 1 } },
  }),
  key_slow_0030: new Fault('over_rate', { data: { rate: { backoff_seconds: 29.2 } } }),
  key_day_00001: new Fault('over_quota'),
}

/** Keys that do not authenticate. */
const authenticationFaults: Readonly<Record<string, Fault>> = {
  key_secret_01: new Fault('refused_by_setting', { data: { reason: 'secret_required' } }),
  key_origin_01: new Fault('refused_by_setting', { data: { reason: 'origin' } }),
  key_polygon_1: new Fault('refused_by_setting', {
    detail: 'project ID does not have access to polygon-mainnet',
    data: { reason: 'network' },
  }),
}

/** The proof of every result, if requested. */
export const bundle: ProofBundle = {
  v: 1,
  chainId: '0x539',
  method: 'eth_chainId',
  params: [],
  block: null,
  verified: null,
  head: null,
  header: null,
  nodes: [],
}

export type FakeGateway = Pipeline & { readonly refused: Fault[]; ran: number }

/** `methods` adds methods; a function may throw Faults or wait for the signal. */
export function createFakeGateway(
  methods: Readonly<
    Record<string, (params: readonly unknown[], signal: AbortSignal) => unknown>
  > = {},
): FakeGateway {
  const networks = ['dev', 'mainnet'].map((name) => ({ name }) as Network)
  let key = ''
  const known: typeof methods = {
    eth_chainId: () => '0x539',
    fail_revert: () => {
      throw new Fault('reverted', { detail: 'execution reverted: no', data: '0x08c379a0' })
    },
    fail_bug: () => {
      throw new TypeError('a bug')
    },
    fail_upstream: () => {
      throw new Fault('no_upstream', { detail: 'no source reachable for dev' })
    },
    ...methods,
  }

  async function outcomeOf(item: RpcItem | Fault, signal: AbortSignal): Promise<RpcOutcome> {
    if (item instanceof Fault) return { fault: item }
    const { method, params } = item
    const run = Object.hasOwn(known, method) ? known[method] : undefined
    if (run === undefined) {
      const detail = `The method ${method.slice(0, 256)} does not exist/is not available`
      return { fault: new Fault('no_method', { detail }) }
    }
    try {
      return { result: await run(params, signal) }
    } catch (thrown) {
      return { fault: Fault.from(thrown) }
    }
  }

  const gateway: FakeGateway = {
    refused: [],
    ran: 0,
    networkFor: createNetworkChoice(() => networks),
    serves: (network) => networks.includes(network),
    async authenticateRpc(credential) {
      if (credential.key === null) throw new Fault('no_credential')
      key = credential.key
      const fate = authenticationFaults[key]
      if (fate !== undefined) throw fate
      if (key !== goodKey && admission[key] === undefined) throw new Fault('bad_key')
      if (credential.secret !== null && credential.secret !== secret) throw new Fault('bad_secret')
      if (credential.user !== undefined && credential.user !== key) throw new Fault('bad_secret')
      return caller
    },
    admitSocket() {
      const fate = admission[key]
      if (fate !== undefined) throw fate
    },
    openSubscriptions: () => ({
      openFrame: () => ({ add: () => '0x', drop: () => false, settle: () => {} }),
      close: () => {},
    }),
    authenticateFiles: () => Promise.reject(new Fault('no_credential')),
    async runRpc({ items, proof, exchange: { signal } }) {
      const fate = admission[key]
      if (fate !== undefined) throw fate
      gateway.ran += items.length
      const bare = await Promise.all(items.map((item) => outcomeOf(item, signal)))
      const outcomes = bare.map((it) =>
        'fault' in it || proof !== true ? it : { ...it, proof: bundle },
      )
      const headers = {
        verified: 'proof',
        head: 'embedded',
        block: new Uint8Array(32).fill(0xab),
        blockNumber: 17n,
        units: 80 * items.length,
      }
      return { outcomes, headers, method: null }
    },
    methodNames: (_network, items) =>
      items.map((item) =>
        item instanceof Fault ? '' : Object.hasOwn(known, item.method) ? item.method : 'other',
      ),
    countBytes: () => {},
    chargeRefusal(_caller, _network, fault) {
      gateway.refused.push(fault)
      return isFree(fault) ? 0 : refusalUnits
    },
    countRefusal: () => {},
    countPathRefusal: () => {},
    runFiles: () => Promise.reject(new Fault('no_command')),
    authenticatePath: () => Promise.reject(new Fault('no_credential')),
    runPath: () => Promise.reject(new Fault('not_found')),
  }
  return gateway
}

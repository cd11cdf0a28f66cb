// A network behind stub upstreams as the server opens it, with a new store in memory for each case of a test that needs many.
import { systemClock } from '../../../src/base/clock.ts'
import { Fault } from '../../../src/base/fault.ts'
import { toHex } from '../../../src/base/hex.ts'
import { createLog } from '../../../src/base/log.ts'
import { nameKeccakKinds } from '../../../src/codec/hash/verify-keccak.ts'
import { createMemoryStore } from '../../../src/content/memory-store.ts'
import { createObtain } from '../../../src/content/obtain.ts'
import type { UnverifiedItem } from '../../../src/content/ref.ts'
import type { LocalStore } from '../../../src/content/block-store.ts'
import { verify as verifyContent } from '../../../src/content/verified-finds.ts'
import type { HeadSettings } from '../../../src/chain/upstream/head/head-settings.ts'
import type { InvalidReplyLog } from '../../../src/chain/upstream/pool/invalid-reply-log.ts'
import {
  openUpstreamNetwork,
  type UpstreamNetwork,
} from '../../../src/chain/upstream/open-upstream-network.ts'
import { defaultUpstreamLimits } from '../../../src/chain/upstream/node/upstream.ts'
import type { BlobFractions } from '../../../src/base/known-network.ts'
import type { ScheduledRules } from '../../../src/chain/network.ts'
import type { Relay } from '../../../src/chain/relay.ts'
import type { VerifyMode } from '../../../src/rpc/relay/prove-or-relay.ts'
import { servingPolicies } from '../../../src/rpc/relay/relayed-methods.ts'
import { createUpstreamOperations } from '../../../src/rpc/relay/upstream-operations.ts'
import { operations } from '../bundles.ts'
import { runOperation } from '../rpc-call.ts'
import type { StubUpstream } from './stub-upstream.ts'

/** Result of one read: the result with its label, or the Fault's code. */
export type ReadAnswer =
  | {
      readonly result: unknown
      readonly level: string | null
      /** Anchor and hash of the block; null if none was resolved. */
      readonly anchor: string | null
      readonly block: string | null
    }
  | { readonly fault: string }

/** The blob schedule of the recorded chain. */
export const recordedFractions: BlobFractions = [{ from: 420n, fraction: 11_684_671n }]

/** Timeout for upstreams that always reply: a delay of a busy machine must not count as their fault. */
export const patientMs = 60_000

export type UpstreamCase = UpstreamNetwork & {
  read(method: string, params: readonly unknown[]): Promise<ReadAnswer>
  /** All items put into its store. */
  readonly stored: readonly UnverifiedItem[]
  /** Logged lines. */
  readonly lines: readonly string[]
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>
}

/** Upstreams in the order of `stubs`, named by index: 0, 1, .... The caller closes it. */
export async function openUpstreamCase(options: {
  readonly name: string
  readonly stubs: readonly (Pick<StubUpstream, 'url'> & {
    readonly chain: Pick<StubUpstream['chain'], 'chainId'>
  })[]
  readonly trusted?: readonly number[]
  readonly heads?: Partial<HeadSettings>
  /** Default: those of the recorded chain. Null: unknown. */
  readonly blobFractions?: BlobFractions | null
  /** Default: `require`. */
  readonly verify?: VerifyMode
  readonly ledger: InvalidReplyLog
  /** Default: calls are not computed. */
  readonly calls?: (relay: Relay) => ScheduledRules
  /** Timeout of the upstream with this index. Default: `patientMs`. */
  readonly timeoutMsOf?: (index: number) => number
}): Promise<UpstreamCase> {
  const { name, stubs, ledger, verify = 'require' } = options
  const { timeoutMsOf = () => patientMs } = options
  const lines: string[] = []
  const log = createLog(
    () => 'debug',
    () => 0,
    (line) => lines.push(line),
  )
  const stored: UnverifiedItem[] = []
  const store = watch(createMemoryStore(), stored)
  const obtaining = createObtain({
    clock: systemClock,
    log,
    store,
    sourcesFor: () => [opened.source],
    verify: verifyContent,
    nameOf: nameKeccakKinds,
    count: () => {},
  })
  const { obtain, peek, peekNode } = obtaining
  const opened = openUpstreamNetwork({
    name,
    chainId: stubs[0]?.chain.chainId ?? 1n,
    upstreams: stubs.map(({ url }, index) => ({
      ...defaultUpstreamLimits,
      url,
      name: `upstream ${index}`,
      headers: {},
      trusted: options.trusted?.includes(index) ?? false,
      timeoutMs: timeoutMsOf(index),
    })),
    heads: {
      quorum: Math.min(2, stubs.length),
      quorumRequired: false,
      pollMs: 60_000,
      maxAgeMs: 60_000,
      ...options.heads,
    },
    genesisHash: null,
    blobFractions: options.blobFractions === undefined ? recordedFractions : options.blobFractions,
    methods: servingPolicies,
    requireProof: verify === 'require',
    ledger,
    ...(options.calls !== undefined && { calls: options.calls }),
    content: { obtain, peek, peekNode },
    clock: systemClock,
    log,
  })
  const offered = createUpstreamOperations(operations, {
    verifyOf: () => verify,
    lists: { allow: null, deny: [] },
  })
  await opened.started
  return {
    ...opened,
    stored,
    lines,
    async read(method, params) {
      const operation = offered.find(method)
      if (operation === null) throw new TypeError(`no operation ${method}`)
      try {
        const { result, levels, blocks } = await runOperation(operation, opened.network, params)
        const block = blocks.at(-1)
        return {
          result: plainOf(result),
          level: levels.at(-1) ?? null,
          anchor: block?.anchor ?? null,
          block: block === undefined ? null : toHex(block.hash),
        }
      } catch (thrown) {
        if (thrown instanceof Fault) return { fault: thrown.code }
        throw thrown
      }
    },
    async idle() {
      await obtaining.idle()
      await ledger.idle()
    },
  }
}

/** Converts a result as it would be on the wire. */
function plainOf(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result ?? null)) as unknown
}

function watch(store: LocalStore, stored: UnverifiedItem[]): LocalStore {
  return {
    ...store,
    async put(items, rows) {
      stored.push(...items)
      return store.put(items, rows)
    },
  }
}

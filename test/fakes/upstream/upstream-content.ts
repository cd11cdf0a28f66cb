// The content store of a network behind stub upstreams: real calls over loopback through a real pool, and a Network to read
// through.
import type { TestContext } from 'node:test'
import { silentLog } from '../../../src/base/log.ts'
import { fromHex } from '../../../src/base/hex.ts'
import { decodeHeader } from '../../../src/codec/ethereum/header.ts'
import { nameKeccakKinds } from '../../../src/codec/hash/verify-keccak.ts'
import { createMemoryStore } from '../../../src/content/memory-store.ts'
import { createObtain } from '../../../src/content/obtain.ts'
import type { LocalStore } from '../../../src/content/block-store.ts'
import { verify } from '../../../src/content/verified-finds.ts'
import type { ProvedHeader } from '../../../src/chain/blocks.ts'
import type { Network } from '../../../src/chain/network.ts'
import type { ContentPool } from '../../../src/chain/upstream/source/query-pool.ts'
import { servingPolicies } from '../../../src/rpc/relay/relayed-methods.ts'
import { createUpstream } from '../../../src/chain/upstream/node/create-upstream.ts'
import {
  type UpstreamPool,
  createUpstreamPool,
} from '../../../src/chain/upstream/pool/upstream-pool.ts'
import { createUpstreamSource } from '../../../src/chain/upstream/source/upstream-source.ts'
import { defaultUpstreamLimits } from '../../../src/chain/upstream/node/upstream.ts'
import type { InvalidReplyEvidence } from '../../../src/chain/upstream/pool/race-attempts.ts'
import { createFakeHead, createFakeNetwork } from './network.ts'
import type { StubBlock } from './stub-chain.ts'
import type { StubUpstream } from './stub-upstream.ts'
import { createManualClock } from '../manual-clock.ts'

/** An invalid reply and the index of its upstream, from 0. */
export type LoggedInvalidReply = InvalidReplyEvidence & { readonly upstream: number }

export type UpstreamContent = {
  readonly network: Network
  readonly store: LocalStore
  readonly pool: UpstreamPool
  readonly invalidReplies: readonly LoggedInvalidReply[]
  /** Number of headers whose JSON lacked a field. */
  readonly gaps: { count: number }
  /** Resolves when all replies are verified and accepted items are stored. */
  idle(): Promise<void>
}

export function openUpstreamContent(
  t: Pick<TestContext, 'after'>,
  stubs: readonly StubUpstream[],
  options: { readonly trusted?: readonly number[]; readonly require?: boolean } = {},
): UpstreamContent {
  // The clock stands still, so that a busy machine causes no hedged request to a second upstream.
  const parts = { clock: createManualClock(), log: silentLog, methods: servingPolicies }
  const upstreams = stubs.map(({ url }, index) =>
    createUpstream(
      {
        ...defaultUpstreamLimits,
        url,
        headers: {},
        trusted: options.trusted?.includes(index) ?? false,
      },
      parts,
    ),
  )
  const invalidReplies: LoggedInvalidReply[] = []
  const real = createUpstreamPool({
    ...parts,
    network: 'stubbed',
    upstreams,
    canary: null,
    ledger: {
      add(name, evidence) {
        invalidReplies.push({
          ...evidence,
          upstream: upstreams.findIndex((one) => one.name === name),
        })
      },
      idle: () => Promise.resolve(),
    },
  })
  t.after(() => real.close())
  const pending = new Set<Promise<unknown>>()
  const pool: ContentPool = {
    upstreams,
    content(...args) {
      const verdict = real.content(...args)
      pending.add(verdict)
      const done = (): void => void pending.delete(verdict)
      verdict.then(done, done)
      return verdict
    },
  }
  const gaps = { count: 0 }
  const source = createUpstreamSource({
    name: 'stubbed',
    pool,
    require: options.require ?? true,
    peekNode: (from, at) => obtaining.peekNode(from, at),
    onUnknownFields: () => void (gaps.count += 1),
  })
  const store = createMemoryStore()
  const obtaining = createObtain({
    ...parts,
    store,
    sourcesFor: () => [source],
    verify,
    nameOf: nameKeccakKinds,
    count: () => {},
  })
  const { obtain, peek, peekNode } = obtaining
  const blocks = stubs[0]?.chain.recorded ?? []
  const head = createFakeHead(
    blocks.map(({ hash, number }) => ({ network: 'stubbed', hash: fromHex(hash), number })),
  )
  const hint = { network: 'stubbed' }
  const network = createFakeNetwork({ name: 'stubbed', head, obtain, peek, peekNode, hint })
  async function idle(): Promise<void> {
    while (pending.size > 0) await Promise.allSettled(pending)
    await obtaining.idle()
  }
  return { network, store, pool: real, invalidReplies, gaps, idle }
}

/** A recorded block as a proved header. */
export function provedBlock({ hash, parts }: StubBlock): ProvedHeader {
  return { hash: fromHex(hash), bytes: parts.header, header: decodeHeader(parts.header) }
}

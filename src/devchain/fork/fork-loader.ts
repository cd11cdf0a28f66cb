// Loads content of the forked network for the EVM of a fork: reads it at a block by hash, verifies the proofs, and stores every
// item before the read resolves. After a restart the content is available without an upstream.
// Tested by src/devchain/fork/fork-loader.test.ts
import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { createRateLimitedSemaphore } from '../../base/rate-limited-semaphore.ts'
import { getHeader, type ProvedHeader } from '../../chain/blocks.ts'
import type { Network } from '../../chain/network.ts'
import { completeRead } from '../../chain/read.ts'
import { findAccount, readCode, readStorage } from '../../chain/state.ts'
import type { BlockStore } from '../../content/block-store.ts'
import { type ContentRef, refKey, type UnverifiedItem } from '../../content/ref.ts'
import { findHash } from '../../chain/upstream/head/find-hash.ts'
import type { ForkPoint } from './fork-point.ts'
import type { ForkRead } from './fork-reads.ts'

type LoaderLimits = {
  /** Concurrent reads that query upstreams. */
  readonly fetchesMax: number
  /** Reads that wait to start. */
  readonly queuedMax: number
  /** Timeout of the upstream requests of one read. */
  readonly fetchMs: number
  /** Timeout of one read, including its wait to start. */
  readonly readMs: number
}

const defaultLoaderLimits: LoaderLimits = {
  fetchesMax: 64,
  queuedMax: 1024,
  fetchMs: 30_000,
  readMs: 60_000,
}

export type ForkLoaderParts = {
  readonly point: ForkPoint
  /** The forked network; null: the settings no longer name it. */
  readonly source: () => Network | null
  readonly store: BlockStore
  readonly clock: Clock
  readonly limits?: LoaderLimits
}

export type ForkLoader = {
  /**
   * Resolves when the content of the read is stored: with the hash (32 bytes) for a read of kind `hash`, else with null. Throws
   * the Fault of the read, which names the missing value: `no_upstream`, `unverified`, `unprovable`, `deadline`, `overloaded`.
   */
  load(read: ForkRead): Promise<Uint8Array | null>
  /** Current and later reads reject with `shutting_down`. */
  close(): void
}

export function createForkLoader(parts: ForkLoaderParts): ForkLoader {
  const { point, store, clock, limits = defaultLoaderLimits } = parts
  const { fetchesMax, queuedMax } = limits
  const semaphore = createRateLimitedSemaphore(
    { concurrency: fetchesMax, perSecond: null, queuedMax },
    clock,
  )
  const closing = new AbortController()

  async function load(read: ForkRead): Promise<Uint8Array | null> {
    using deadline = withDeadline(closing.signal, limits.readMs, clock)
    const admission = semaphore.acquire('content', deadline.signal)
    if (admission === null) throw new Fault('overloaded')
    await admission
    try {
      using fetching = withDeadline(deadline.signal, limits.fetchMs, clock)
      return await fetchAndStore(read, fetching.signal)
    } finally {
      semaphore.release('content')
    }
  }

  async function fetchAndStore(read: ForkRead, signal: AbortSignal): Promise<Uint8Array | null> {
    const source = parts.source()
    if (source === null) {
      throw new Fault('no_upstream', { detail: `the settings name no network ${point.source}` })
    }
    const recorded = recordItems(source)
    const hash = await perform(recorded.network, read, signal)
    const items = recorded.items()
    const missing: UnverifiedItem[] = []
    for (const item of items) if (!(await store.has(item.ref))) missing.push(item)
    if (missing.length > 0) await store.put(missing)
    return hash
  }

  async function perform(network: Network, read: ForkRead, signal: AbortSignal) {
    const header = (hash: Uint8Array) => completeRead(getHeader(network, hash), signal)
    if (read.kind === 'hash') {
      return await findHash(network, await header(point.hash), read.number, signal)
    }
    const block: ProvedHeader = await header(read.block ?? point.hash)
    const at = { network, block, address: read.address }
    if (read.kind === 'slot') await completeRead(readStorage(at, read.position), signal)
    else if (read.kind === 'code') await completeRead(readCode(at), signal)
    else await completeRead(findAccount(at), signal)
    return null
  }

  return {
    async load(read) {
      try {
        return await load(read)
      } catch (thrown) {
        throw explained(thrown, read, point)
      }
    },
    close: () => closing.abort(new Fault('shutting_down')),
  }
}

/** The fault with a text that names the value and the fork. */
function explained(thrown: unknown, read: ForkRead, point: ForkPoint): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const { code, message, data } = thrown
  const detail = `cannot read ${nameOf(read)} of ${point.source} for the fork at block ${point.number}: ${message}`
  return new Fault(code, { detail, ...(data === undefined ? {} : { data }), cause: thrown })
}

function nameOf(read: ForkRead): string {
  switch (read.kind) {
    case 'account':
      return `account ${toHex(read.address)}`
    case 'code':
      return `the code of account ${toHex(read.address)}`
    case 'slot':
      return `slot ${toHex(read.position)} of account ${toHex(read.address)}`
    case 'hash':
      return `the hash of block ${read.number}`
  }
}

/** A view of a network that records all verified content that is read through it. */
function recordItems(network: Network) {
  // A read of an account from the memory cache would not return the nodes that prove it.
  const { accounts: _, ...forgetful } = network
  const items = new Map<string, UnverifiedItem>()

  function note(ref: ContentRef, bytes: Uint8Array): Uint8Array {
    items.set(refKey(ref), { ref, bytes })
    return bytes
  }

  const recording: Network = {
    ...forgetful,
    async obtain(ref, context, signal) {
      return note(ref, await network.obtain(ref, context, signal))
    },
    peek(ref) {
      const bytes = network.peek(ref)
      return bytes === null ? null : note(ref, bytes)
    },
    peekNode(from, at) {
      const bytes = network.peekNode(from, at)
      const hash = from.slice(at, at + 32)
      return bytes === null ? null : note({ kind: 'trie-node', hash }, bytes)
    },
    headers: { find: () => null, add: () => {} },
  }
  return { network: recording, items: () => [...items.values()] }
}

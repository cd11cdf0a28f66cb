// Reads blocks by CID for one call: identity CIDs contain their block, the others are read through `obtain`, and so verified. Waits
// for missing blocks as long as the fetch policy allows.
// Tested by src/ipfs/files.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { Fault, hasCode } from '../../base/fault.ts'
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { decodeMultihash, identityCode } from '../../codec/ipld/multihash.ts'
import { joinBytes } from '../../codec/ipld/protobuf.ts'
import type { SequentialRead } from '../../content/sequential-read.ts'
import type { ContentRef, FetchContext, Obtain } from '../../content/ref.ts'
import type { ReadBatch, StoredChunk } from '../../content/block-store.ts'
import type { Waiters } from './block-waiters.ts'
import { type AheadReads, fetchAhead } from './fetch-ahead.ts'
import { emptyDirectory, isEmptyDirectory } from './empty-directory.ts'
import type { FetchPolicy } from '../files.ts'

/**
 * Reads one block. The time limit counts from the first read of the call; without the caller's own limit, from the last block
 * found.
 */
export type ReadBlock = ((cid: CID) => Promise<Uint8Array>) &
  Partial<Pick<AheadReads, 'expect' | 'forget'>>

/**
 * Reads the stored leaves of a file in order: `leaf` as in StoredChunk, only for dag-pb CIDs. Null: not available this way; read
 * the block with ReadBlock. A group is valid until the next one is requested.
 */
type ReadLeaves = (cids: readonly CID[]) => AsyncGenerator<ReadBatch>

export type BlockReader = ReadBlock & { readonly leaves: ReadLeaves }

/** Opens a call: one reader for all its blocks. */
export type OpenBlocks = (patience: FetchPolicy, signal: AbortSignal) => BlockReader

export type BlockSettings = {
  readonly obtain: Obtain
  readonly readRun: SequentialRead
  readonly waiters: Waiters
  readonly clock: Clock
  /** Whether `obtain` can currently use sources other than the store. */
  readonly hasSources: () => boolean
  /** Whether the store has the block. */
  readonly isStored: (ref: ContentRef) => Promise<boolean>
  /** How long to wait since the last block found, if the caller sets no limit. */
  readonly idleMs: number
  /** The account on whose behalf reads may search the IPFS network; null: they do not search it. */
  readonly account: string | null
  /** Maps a CID that a path resolved to, to the path's root, whose providers are looked up on the network. */
  readonly origins: WeakMap<CID, CID>
}

/** Limit of the Pinning Service API. */
const originsMax = 20
const originForm = /^\/[\x21-\x7e]{1,500}$/
/** Interval at which sources are asked again for a missing block. */
const retryMs = 5000
/** Bytes that are read before yielding to other work, because callers process blocks in proportion to their bytes. */
const turnBytes = 512 * 1024

/**
 * Reads throw `command_failed` with Kubo's text, caused by the error of `obtain`, if the block is not stored and must not be waited
 * for; `deadline` if the time limit has passed; `unverified` if all available copies are wrong.
 */
export function createBlocks(settings: BlockSettings): OpenBlocks {
  const { obtain, readRun, waiters, clock, isStored, idleMs, account, origins } = settings
  let sinceTurn = 0
  return (patience, signal) => {
    const limitMs = patience.timeoutMs ?? idleMs
    const hasSources = settings.hasSources()
    const atOnce = patience.offline || !hasSources
    let since = clock.monotonic()
    /** Network session of the call; begins at the first block. */
    let session: FetchContext['session']
    const read = atOnce
      ? (cid: CID) => readBlock(cid, signal)
      : fetchAhead({ read: readBlock, isStored, signal })
    return Object.assign(read, { leaves })

    async function readBlock(cid: CID, until: AbortSignal): Promise<Uint8Array> {
      until.throwIfAborted()
      patience.permit?.(cid)
      const { code, digest } = decodeMultihash(cid.multihash.bytes)
      if (code === identityCode) return digest
      if (isEmptyDirectory(cid.multihash.bytes)) return emptyDirectory
      const ref = refOf(cid)
      if (account !== null && !atOnce) {
        const root = (origins.get(cid) ?? cid).multihash.bytes
        session ??= { root, account, ...originsOf(patience) }
      }
      const around = session === undefined ? {} : { session }
      for (;;) {
        const seen = waiters.commits
        const leftMs = since + limitMs - clock.monotonic()
        const patienceMs = Math.max(1, Math.ceil(leftMs))
        try {
          const hint = atOnce ? { offline: true } : { patienceMs, codec: cid.code, ...around }
          const bytes = await obtain(ref, hint, until)
          if (patience.timeoutMs === null) since = clock.monotonic()
          sinceTurn += bytes.length
          if (sinceTurn >= turnBytes) {
            sinceTurn = 0
            await setImmediate()
          }
          return bytes
        } catch (thrown) {
          if (!missing(thrown)) throw timedOut(thrown)
          if (atOnce) throw notStored(cid, thrown)
          const stillMs = since + limitMs - clock.monotonic()
          if (stillMs <= 0) throw timedOut(new Fault('deadline'))
          await arrival(ref, { seen, waitMs: Math.min(stillMs, retryMs), until })
        }
      }
    }

    async function* leaves(cids: readonly CID[]): AsyncGenerator<ReadBatch> {
      if (patience.permit !== undefined) for (const cid of cids) patience.permit(cid)
      let from = 0
      for await (const group of readRun(cids.map(refOf), signal)) {
        const first = from
        from += group.length
        if (patience.timeoutMs === null && group.some((piece) => piece !== null)) {
          since = clock.monotonic()
        }
        yield group.map((piece, at) =>
          piece?.leaf === true && cids[first + at]?.code !== dagPbCodec ? wholeBlock(piece) : piece,
        )
      }
    }

    /** Resolves when the block is stored or `waitMs` have passed. `seen`: as for `Waiters.wait`. */
    async function arrival(
      ref: ContentRef,
      {
        seen,
        waitMs,
        until,
      }: { readonly seen: number; readonly waitMs: number; readonly until: AbortSignal },
    ): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const leave = waiters.wait(ref, resolve, seen)
      const stop = clock.after(waitMs, resolve)
      const leftAlone = () => resolve()
      until.addEventListener('abort', leftAlone, { once: true })
      try {
        if (!until.aborted) await promise
      } finally {
        leave()
        stop()
        until.removeEventListener('abort', leftAlone)
      }
      until.throwIfAborted()
    }
  }
}

/** The origins that fit into a frame; others are omitted. */
function originsOf({ origins }: FetchPolicy): Pick<FetchPolicy, 'origins'> {
  if (origins === undefined) return {}
  return { origins: origins.filter((one) => originForm.test(one)).slice(0, originsMax) }
}

function refOf(cid: CID): ContentRef {
  return { kind: 'dag-block', hash: cid.multihash.bytes }
}

/** Reassembles the whole block: under a CID of another codec the bytes are not a dag-pb leaf. */
function wholeBlock({ data }: StoredChunk): StoredChunk {
  const block = joinBytes([leafPrefix(data.length), data, leafSuffix(data.length)])
  return { data: block, leaf: false }
}

/** Whether no source supplied it now; a source that is down may still supply it later. */
function missing(thrown: unknown): boolean {
  return hasCode(thrown, 'not_found') || hasCode(thrown, 'no_upstream')
}

function notStored(cid: CID, cause: unknown): Fault {
  const detail = `block was not found locally (offline): ipld: could not find ${cid.toString()}`
  return new Fault('command_failed', { detail, cause })
}

/** Clients of the IPFS API recognize time-outs by this text. */
function timedOut(thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || thrown.code !== 'deadline' || thrown.detailed) return thrown
  return new Fault('deadline', { detail: 'context deadline exceeded', cause: thrown })
}

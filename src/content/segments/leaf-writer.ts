// Cuts the bytes of one file into leaves: copies them into a slot, hashes complete leaves, and writes full slots. At most four
// slots of one file are in use at a time.
// Tested by src/content/segments/leaf-writer.test.ts
import { copyBytes } from '../../base/copy-bytes.ts'
import type { HashWorker, Hashing } from '../../codec/hash/hash-worker.ts'
import { hashPiece, leafBlockBytes } from '../../codec/ipld/leaf-frame.ts'
import { unfilledSha256Name } from '../../codec/ipld/multihash.ts'
import type { FileLeaf, LeafCut, LeafWriter } from '../block-store.ts'
import { writeBufferBytes, type WriteBufferPool } from './io-buffers.ts'

/** A leaf in a slot: where its bytes start. */
export type BufferedLeaf = FileLeaf & { readonly at: number }

/** Concurrent slot writes, in addition to the slot that is being filled. */
const writesMax = 3

/**
 * `writeSlot`: writes the leaves of one slot to disk; the slot returns to the pool when the promise settles. `abandon`: discards
 * unwritten slots, and resolves when no write is running.
 */
export function createLeafWriter(parts: {
  readonly cut: LeafCut
  /** Null: this thread hashes all leaves, as for a cut that is not `late`. */
  readonly hashWorker: HashWorker | null
  readonly onLeaf: (leaf: FileLeaf) => void
  readonly pool: WriteBufferPool
  readonly writeSlot: (slot: Uint8Array, leaves: readonly BufferedLeaf[]) => Promise<void>
}): LeafWriter & { abandon(): Promise<void> } {
  const { cut, onLeaf, pool, writeSlot } = parts
  const hashWorker = cut.late === true ? parts.hashWorker : null
  if (cut.bytes < 1 || writeBufferBytes % cut.bytes !== 0) {
    throw new RangeError(`leaves of ${cut.bytes} bytes do not fill a slot`)
  }
  let slot: Uint8Array | null = null
  let filled = 0
  let leaves: BufferedLeaf[] = []
  let failure: { readonly error: unknown } | null = null
  let state: 'open' | 'ended' | 'abandoned' = 'open'
  const writing = new Set<Promise<void>>()
  /** In file order; the hash of an earlier one may still be pending. */
  const unreported: { readonly leaf: FileLeaf; readonly hashing: Hashing | null }[] = []

  function name(at: number, bytes: number): void {
    if (slot === null) return
    const data = slot.subarray(at, at + bytes)
    const multihash = unfilledSha256Name()
    const size = cut.form === 'raw' ? bytes : leafBlockBytes(bytes)
    leaves.push({ multihash, bytes, size, at })
    const hashing = hashWorker?.(data, cut.form === 'dag-pb') ?? null
    unreported.push({ leaf: { multihash, bytes, size }, hashing })
    if (hashing === null) multihash.set(hashPiece(data, cut.form === 'dag-pb'), 2)
    report()
  }

  function report(): void {
    for (let first = unreported[0]; first !== undefined; first = unreported[0]) {
      if (first.hashing !== null) {
        const digest = first.hashing.digest()
        if (digest === null) return
        first.leaf.multihash.set(digest, 2)
      }
      unreported.shift()
      if (state !== 'abandoned') onLeaf(first.leaf)
    }
  }

  /** Starts writing the slot. */
  function send(): void {
    if (slot === null) return
    const [full, named] = [slot, leaves]
    slot = null
    filled = 0
    leaves = []
    const done = (unreported.length === 0 ? writeSlot(full, named) : writeHashed(full, named))
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        pool.release(full)
        writing.delete(done)
      })
    writing.add(done)
  }

  async function writeHashed(full: Uint8Array, named: readonly BufferedLeaf[]): Promise<void> {
    // Waits for the last one first: the others are usually done by then.
    for (const { hashing } of unreported.toReversed()) await hashing?.wait()
    report()
    if (failure !== null) throw failure.error
    await writeSlot(full, named)
  }

  /** Hashes the remaining leaves on this thread, unless their hashing has started; used while no more input is accepted. */
  async function hashRemaining(isIdle: () => boolean): Promise<void> {
    for (const { hashing } of unreported.toReversed()) if (isIdle()) await hashing?.finish()
    report()
  }

  /** Copies as much of `piece` as fits; returns the rest, or null. */
  function fill(piece: Uint8Array): Uint8Array | null {
    for (let at = 0; at < piece.length;) {
      if (slot === null) slot = writing.size < writesMax ? pool.acquire() : null
      if (slot === null) return piece.subarray(at)
      const leafAt = filled - (filled % cut.bytes)
      const part = piece.subarray(at, at + leafAt + cut.bytes - filled)
      copyBytes(part, slot, filled)
      filled += part.length
      at += part.length
      if (filled === leafAt + cut.bytes) name(leafAt, cut.bytes)
      if (filled === writeBufferBytes) send()
    }
    return null
  }

  async function proceed(remaining: Uint8Array | null): Promise<void> {
    let left = remaining
    do {
      await hashRemaining(() => writing.size >= writesMax)
      if (writing.size >= writesMax) await Promise.race(writing)
      else if (slot === null && left !== null) slot = await pool.wait()
      mustBeWritable()
      if (left !== null) left = fill(left)
    } while (left !== null)
  }

  function mustBeWritable(): void {
    if (failure !== null) throw failure.error
    if (state === 'open') return
    releaseSlot()
    throw new Error(`leaf writer already ${state}`)
  }

  function releaseSlot(): void {
    if (slot !== null) pool.release(slot)
    slot = null
  }

  return {
    write(piece) {
      if (failure !== null || state !== 'open') return Promise.resolve().then(mustBeWritable)
      const remaining = fill(piece)
      if (remaining !== null) return proceed(new Uint8Array(remaining))
      return writing.size < writesMax ? null : proceed(null)
    },
    async end() {
      mustBeWritable()
      state = 'ended'
      const leafAt = filled - (filled % cut.bytes)
      if (filled > leafAt) name(leafAt, filled - leafAt)
      if (leaves.length > 0) send()
      else releaseSlot()
      await hashRemaining(() => true)
      await Promise.all(writing)
      if (failure !== null) throw failure.error
    },
    async abandon() {
      if (state === 'open') state = 'abandoned'
      releaseSlot()
      await hashRemaining(() => true).catch(() => undefined)
      await Promise.all(writing)
    },
  }
}

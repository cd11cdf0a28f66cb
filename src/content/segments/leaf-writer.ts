// Cuts the bytes of one file into leaves: copied into a slot, named there when they are complete, and the slot
// handed on when it is full. At most four slots of one file are out at a time.
// Tested by src/content/segments/leaf-writer.test.ts
import { createHash, hash } from 'node:crypto'
import type { HashBeside } from '../../codec/hash-beside.ts'
import { leafBlockBytes, leafPrefix, leafSuffix } from '../../codec/leaf-frame.ts'
import type { Leaf, LeafCut, LeafWriter } from '../store.ts'
import { slotBytes, type SlotPool } from './slot-pool.ts'

/** A leaf in a slot: where its bytes start. */
export type SlotLeaf = Leaf & { readonly at: number }

/** Writes on their way, beside the slot that is being filled. */
const writesMax = 3
/**
 * Bytes that are hashed beside: they are copied. A turn of the loop takes up to 2 MiB from a connection before it is told
 * what was hashed meanwhile.
 */
const besideBytesMax = 2 * 1024 * 1024

/**
 * `keepSlot`: takes the leaves of one slot to disk; the slot goes back to the pool when it settles. `abandon`:
 * gives up what is not on its way, and resolves when nothing is.
 */
export function createLeafWriter(parts: {
  readonly cut: LeafCut
  /** Hashes every second leaf; null: none, as for a cut that is not `late`. */
  readonly hashBeside: HashBeside | null
  readonly onLeaf: (leaf: Leaf) => void
  readonly pool: SlotPool
  readonly keepSlot: (slot: Uint8Array, leaves: readonly SlotLeaf[]) => Promise<void>
}): LeafWriter & { abandon(): Promise<void> } {
  const { cut, onLeaf, pool, keepSlot } = parts
  const hashBeside = cut.late === true ? parts.hashBeside : null
  if (cut.bytes < 1 || slotBytes % cut.bytes !== 0) {
    throw new RangeError(`leaves of ${cut.bytes} bytes do not fill a slot`)
  }
  let slot: Uint8Array | null = null
  let filled = 0
  let leaves: SlotLeaf[] = []
  let failure: { readonly error: unknown } | null = null
  let state: 'open' | 'ended' | 'abandoned' = 'open'
  const writing = new Set<Promise<void>>()
  let cutLeaves = 0
  const hashing = new Set<Promise<void>>()
  let besideBytes = 0
  /** In order; one in front may still be hashed. */
  const untold: { readonly leaf: Leaf; isNamed: boolean }[] = []

  function name(at: number, bytes: number): void {
    if (slot === null) return
    const data = slot.subarray(at, at + bytes)
    const multihash = new Uint8Array(34)
    multihash[0] = 0x12
    multihash[1] = 0x20
    const size = cut.form === 'raw' ? bytes : leafBlockBytes(bytes)
    leaves.push({ multihash, bytes, size, at })
    cutLeaves += 1
    const goesBeside = cutLeaves % 2 === 0 && besideBytes + bytes <= besideBytesMax
    // What lies before it in the slot is named or copied, and behind it nothing yet.
    const digest = goesBeside ? (hashBeside?.(data, cut.form === 'dag-pb', slot) ?? null) : null
    const one = { leaf: { multihash, bytes, size }, isNamed: digest === null }
    untold.push(one)
    if (digest === null) {
      multihash.set(cut.form === 'raw' ? hash('sha256', data, 'buffer') : hashFramed(data), 2)
      tell()
      return
    }
    besideBytes += bytes
    const done = digest
      .then((named) => {
        multihash.set(named, 2)
        one.isNamed = true
        tell()
      })
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        besideBytes -= bytes
        hashing.delete(done)
      })
    hashing.add(done)
  }

  function tell(): void {
    for (let first = untold[0]; first?.isNamed === true; first = untold[0]) {
      untold.shift()
      if (state !== 'abandoned') onLeaf(first.leaf)
    }
  }

  /** Hands the slot on. */
  function send(): void {
    if (slot === null) return
    const [full, named] = [slot, leaves]
    slot = null
    filled = 0
    leaves = []
    const done = (hashing.size === 0 ? keepSlot(full, named) : keepNamed(full, named))
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        pool.give(full)
        writing.delete(done)
      })
    writing.add(done)
  }

  async function keepNamed(full: Uint8Array, named: readonly SlotLeaf[]): Promise<void> {
    await Promise.all(hashing)
    if (failure !== null) throw failure.error
    await keepSlot(full, named)
  }

  /** Takes as much of `piece` as there is room for; what is left of it, or null. */
  function fill(piece: Uint8Array): Uint8Array | null {
    for (let at = 0; at < piece.length;) {
      if (slot === null) slot = writing.size < writesMax ? pool.take() : null
      if (slot === null) return piece.subarray(at)
      const leafAt = filled - (filled % cut.bytes)
      const part = piece.subarray(at, at + leafAt + cut.bytes - filled)
      slot.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === leafAt + cut.bytes) name(leafAt, cut.bytes)
      if (filled === slotBytes) send()
    }
    return null
  }

  async function proceed(rest: Uint8Array | null): Promise<void> {
    let left = rest
    do {
      if (writing.size >= writesMax) await Promise.race(writing)
      else if (slot === null && left !== null) slot = await pool.wait()
      mustGoOn()
      if (left !== null) left = fill(left)
    } while (left !== null)
  }

  function mustGoOn(): void {
    if (failure !== null) throw failure.error
    if (state === 'open') return
    giveUp()
    throw new Error(`leaf writer already ${state}`)
  }

  function giveUp(): void {
    if (slot !== null) pool.give(slot)
    slot = null
  }

  return {
    write(piece) {
      if (failure !== null || state !== 'open') return Promise.resolve().then(mustGoOn)
      const rest = fill(piece)
      if (rest !== null) return proceed(new Uint8Array(rest))
      return writing.size < writesMax ? null : proceed(null)
    },
    async end() {
      mustGoOn()
      state = 'ended'
      const leafAt = filled - (filled % cut.bytes)
      if (filled > leafAt) name(leafAt, filled - leafAt)
      if (leaves.length > 0) send()
      else giveUp()
      await Promise.all(writing)
      if (failure !== null) throw failure.error
    },
    async abandon() {
      if (state === 'open') state = 'abandoned'
      giveUp()
      await Promise.all([...hashing, ...writing])
    },
  }
}

function hashFramed(data: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(leafPrefix(data.length))
    .update(data)
    .update(leafSuffix(data.length))
    .digest()
}

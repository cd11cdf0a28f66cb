// Copies file blocks from one store to another and verifies each before it is stored; skips blocks that the target has. An
// interrupted run continues with the first missing block.
// Tested by test/cli/migrate.test.ts
import { toLatin1 } from '../../base/hex.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import type { BlockStore } from '../../content/block-store.ts'
import { findExisting } from '../../content/objects/object-commits.ts'
import type { UnverifiedItem } from '../../content/ref.ts'
import type { Rows } from '../../db/rows.ts'
import { countMovedBlocks, listMovedBlocks, sampleBlocks } from '../../tables/moved-blocks.ts'

/** `again`: bypasses all caches. Null: the block cannot be read. */
export type ReadBlock = (hash: Uint8Array, again: boolean) => Promise<Uint8Array | null>

/** `unreadable`: blocks without a valid copy in the source. */
export type CopiedBlocks = {
  readonly copied: number
  readonly present: number
  readonly unreadable: number
}

const stepRows = 256
const readsAtOnce = 8
/** Bytes of one commit; two are in memory at a time. */
const groupBytesMax = 8 * 1024 * 1024
const sampleMax = 1000

export async function copyBlocks(parts: {
  readonly source: { readonly rows: Rows; readonly read: ReadBlock }
  readonly target: { readonly rows: Rows; readonly store: Pick<BlockStore, 'put'> }
  readonly onBlocks: (done: number, total: number) => void
}): Promise<CopiedBlocks> {
  const { source, target, onBlocks } = parts
  const total = (await source.rows.first(countMovedBlocks()))?.blocks ?? 0
  const counts = { copied: 0, present: 0, unreadable: 0 }
  let group: UnverifiedItem[] = []
  let groupBytes = 0
  let storing: Promise<unknown> = Promise.resolve()

  /** Stores one group while the next one is read. */
  async function store(): Promise<void> {
    await storing
    if (group.length === 0) return
    const items = group
    group = []
    groupBytes = 0
    storing = target.store.put(items).then(() => (counts.copied += items.length))
    // The next call reports the error.
    storing.catch(() => undefined)
  }

  async function copyBlock(hash: Uint8Array): Promise<void> {
    const bytes = await readValid(source.read, hash)
    if (bytes === null) {
      counts.unreadable += 1
      return
    }
    group.push({ ref: { kind: 'dag-block', hash }, bytes })
    groupBytes += bytes.length
  }

  for (let after = 0, done = 0; ;) {
    const rows = await source.rows.find(listMovedBlocks(after, stepRows))
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
    const existing = await findExisting(
      target.rows,
      rows.map(({ hash }) => hash),
    )
    counts.present += existing.size
    const missing = rows.filter(({ hash }) => !existing.has(toLatin1(hash)))
    for (let at = 0; at < missing.length; at += readsAtOnce) {
      await Promise.all(missing.slice(at, at + readsAtOnce).map(({ hash }) => copyBlock(hash)))
      if (groupBytes >= groupBytesMax) await store()
    }
    done += rows.length
    onBlocks(done, total)
  }
  await store()
  await storing
  return counts
}

async function readValid(read: ReadBlock, hash: Uint8Array): Promise<Uint8Array | null> {
  for (const again of [false, true]) {
    const bytes = await read(hash, again)
    if (bytes !== null && proves(hash, bytes)) return bytes
  }
  return null
}

/** Reads random blocks back. Returns their number; rejects with an Error if one is missing or has other bytes. */
export async function readSample(rows: Rows, read: ReadBlock): Promise<number> {
  const sample = await rows.find(sampleBlocks(sampleMax))
  for (const { hash } of sample) {
    if ((await readValid(read, hash)) !== null) continue
    const name = Buffer.from(hash).toString('hex')
    throw new Error(`block ${name} cannot be read from the target: run the command again`)
  }
  return sample.length
}

function proves(hash: Uint8Array, bytes: Uint8Array): boolean {
  try {
    verifyDagBlock(hash, bytes)
    return true
  } catch {
    return false
  }
}

// A BlockStore in a Map, for tests and short-lived tools: all content is in memory and is not persisted. Rows require a separate
// Writer.
import { randomUUID } from 'node:crypto'
import type { RowChanges, Writer } from '../db/writer.ts'
import { leavesByPut } from './leaves-by-put.ts'
import { readFound } from './read-found.ts'
import { type ContentRef, type UnverifiedItem, refKey } from './ref.ts'
import type { Batch, BlockStore, CopyChoice, LocalStore } from './block-store.ts'

export function createMemoryStore(parts: { readonly writer?: Writer } = {}): LocalStore {
  const stored = new Map<string, Uint8Array>()
  const quarantined = new Map<string, Uint8Array>()

  async function put(
    items: readonly UnverifiedItem[],
    rows: RowChanges = [],
  ): Promise<readonly number[]> {
    if (rows.length > 0 && parts.writer === undefined) {
      throw new Error('this memory store has no writer for rows')
    }
    // The caller may reuse its buffers after this call returns.
    const copies = items.map(({ ref, bytes }) => [refKey(ref), new Uint8Array(bytes)] as const)
    const changes = rows.length === 0 ? [] : ((await parts.writer?.write(rows)) ?? [])
    for (const [key, bytes] of copies) {
      quarantined.delete(key)
      if (!stored.has(key)) stored.set(key, bytes)
    }
    return changes
  }

  const peek = (ref: ContentRef, copy?: CopyChoice): Uint8Array | null =>
    (copy === 'quarantined' ? quarantined : stored).get(refKey(ref)) ?? null

  return {
    get: async (ref, copy) => peek(ref, copy),
    peek,
    has: async (ref) => stored.has(refKey(ref)),
    read: (refs, signal) => readFound(peek, refs, signal),
    put,
    batch: () => createBatch(put),
    async quarantine(ref) {
      const bytes = peek(ref)
      if (bytes === null) return
      stored.delete(refKey(ref))
      quarantined.set(refKey(ref), bytes)
    },
    async release(ref) {
      const bytes = quarantined.get(refKey(ref))
      if (bytes !== undefined && quarantined.delete(refKey(ref))) stored.set(refKey(ref), bytes)
    },
    quarantineFlag: {
      get isUp() {
        return quarantined.size > 0
      },
      look: () => {},
    },
  }
}

function createBatch(commit: BlockStore['put']): Batch {
  const staged: UnverifiedItem[] = []
  let state: 'open' | 'committed' | 'discarded' = 'open'

  function mustBeOpen(): void {
    if (state !== 'open') throw new Error(`batch already ${state}`)
  }

  async function put(items: readonly UnverifiedItem[]): Promise<void> {
    mustBeOpen()
    for (const { ref, bytes } of items) {
      staged.push({
        ref: { kind: ref.kind, hash: new Uint8Array(ref.hash) },
        bytes: new Uint8Array(bytes),
      })
    }
  }

  return {
    id: randomUUID(),
    put,
    leaves: (cut, onLeaf) => leavesByPut(cut, onLeaf, put),
    async commit(rows = []) {
      mustBeOpen()
      const changes = await commit(staged, rows)
      state = 'committed'
      return changes
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      staged.length = 0
    },
  }
}

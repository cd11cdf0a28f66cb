// A segment store for tests: on a disk in memory or in a folder, with its own database.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { createLog } from '../../../src/base/log.ts'
import { createHostedHash } from './hash-worker-thread.ts'
import type { FileOps } from '../../../src/content/file-ops.ts'
import {
  defaultSegmentLimits,
  type SegmentLimits,
} from '../../../src/content/segments/segment-limits.ts'
import {
  createSegmentStore,
  type SegmentStore,
} from '../../../src/content/segments/segment-store.ts'
import type { FileLeaf, LocalStore } from '../../../src/content/block-store.ts'
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openDatabase, type Database } from '../../../src/db/sqlite.ts'
import type { Writer } from '../../../src/db/writer.ts'

export type SegmentFixture = {
  readonly store: SegmentStore
  readonly db: Database
  readonly writer: Writer
  readonly lines: string[]
}

export function createSegmentFixture(
  t: TestContext,
  options: {
    readonly ops: FileOps
    readonly path?: string
    readonly db?: Database
    readonly limits?: Partial<SegmentLimits>
    readonly bytesMax?: number
    readonly clock?: Clock
    /** Only for a store that was replayed. */
    readonly rowsFollow?: boolean
  },
): SegmentFixture {
  const { ops, path = '/store', limits, bytesMax = null, clock = systemClock } = options
  const db = options.db ?? openDatabase(':memory:')
  migrate(db)
  const writer = createInlineWriter(db)
  const lines: string[] = []
  const store = createSegmentStore({
    db,
    writer,
    ops,
    path,
    clock,
    log: createLog(
      () => 'info',
      () => 0,
      (line) => lines.push(line),
    ),
    bytesMax,
    rowsFollow: options.rowsFollow ?? false,
    hashWorker: createHostedHash(),
    limits: { ...defaultSegmentLimits, ...limits },
  })
  t.after(async () => {
    await store.close().catch(() => undefined)
    if (options.db === undefined) db.close()
  })
  return { store, db, writer, lines }
}

export function temporaryPath(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'cairn-segments-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Adds a file by leaves and returns the leaves after they are durable. */
export async function addLeaves(
  store: Pick<LocalStore, 'batch'>,
  content: Uint8Array,
  leafBytes = 262_144,
): Promise<FileLeaf[]> {
  const batch = store.batch()
  const leaves: FileLeaf[] = []
  try {
    const writer = batch.leaves({ bytes: leafBytes, form: 'dag-pb', late: true }, (leaf) =>
      leaves.push(leaf),
    )
    for (let at = 0; at < content.length; at += 65_536) {
      await writer.write(content.subarray(at, at + 65_536))
    }
    await writer.end()
    await batch.commit()
    return leaves
  } finally {
    await batch.discard()
  }
}

/** Reads a file by its leaves; null for a leaf that is not stored. */
export async function readLeaves(
  store: Pick<LocalStore, 'read'>,
  leaves: readonly FileLeaf[],
): Promise<(Buffer | null)[]> {
  const refs = leaves.map(({ multihash }) => ({ kind: 'dag-block' as const, hash: multihash }))
  const pieces: (Buffer | null)[] = []
  for await (const group of store.read(refs, new AbortController().signal)) {
    for (const piece of group) pieces.push(piece === null ? null : Buffer.from(piece.data))
  }
  return pieces
}

// `cairn store verify`: every stored copy is hashed again and compared with its name. Reads only, unless it
// is told to drop what is bad; a dropped copy is fetched again where a source has it.
import type { Command } from 'commander'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { toHex } from '../base/hex.ts'
import { verifyDagBlock } from '../codec/verify-dag-block.ts'
import { verifyKeccakKinds } from '../codec/verify-keccak.ts'
import type { ContentRef } from '../content/ref.ts'
import { countCopies, listCopies, type Copy } from '../content/stored-copies.ts'
import { createVerify } from '../content/verify.ts'
import { countBlocks, listBlocks } from '../content/segments/stored-blocks.ts'
import { createSegmentStore, type SegmentStore } from '../content/segments/segment-store.ts'
import type { Store } from '../content/store.ts'
import { createSystemFiles } from '../content/system-files.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/sqlite.ts'
import { segmentsOf } from '../open-store.ts'
import type { Context, SharedOptions } from './context.ts'
import { refuseNoData } from './open-data.ts'
import { createProgress } from './progress.ts'
import { FoundBad, print } from './report.ts'
import { addSharedOptions, settingsOf } from './shared-options.ts'

type Options = SharedOptions & { readonly dropBad?: true; readonly repair?: true }

type Found = {
  copies: number
  bytes: number
  bad: number
  dropped: number
  /** The first of the bad ones. */
  readonly named: { readonly kind: string; readonly hash: string }[]
}

const namedMax = 100

export function defineStoreVerify(command: Command, context: Context): void {
  addSharedOptions(
    command
      .command('verify')
      .description('hash every stored copy again and compare it with its name'),
  )
    .option('--repair', 'take bad copies out of the store, so that sources heal them')
    .option('--drop-bad', 'the same')
    .addHelpText(
      'after',
      `
Examples:
  cairn store verify
  cairn store verify --repair --json

Works beside a running server. Ends with 1 when a bad copy was found, dropped or not. What is dropped is
gone from this store: pinned content must then be added again, an embedded chain be restored from a copy.`,
    )
    .action(async (options: Options) => {
      const { dataDir } = (await settingsOf(context, options)).config
      const found: Found = { copies: 0, bytes: 0, bad: 0, dropped: 0, named: [] }
      refuseNoData(dataDir)
      await verifyAll(context, dataDir, found, options.dropBad === true || options.repair === true)
      print(context, options.json, found, describe(found))
      if (found.bad > 0) throw new FoundBad()
    })
}

const verify = createVerify({ keccakKinds: verifyKeccakKinds, dagBlock: verifyDagBlock })

async function verifyAll(
  context: Context,
  dataDir: string,
  found: Found,
  dropBad: boolean,
): Promise<void> {
  const db = openDatabase(join(dataDir, 'cairn.db'), { readOnly: !dropBad })
  if (dropBad) migrate(db)
  const total = countCopies(db) + countBlocks(db)
  const progress = createProgress(context, { title: 'verified', total, clock: systemClock })
  const store = dropBad ? openToDrop(db, dataDir) : null
  try {
    for await (const copy of allCopies(db, dataDir)) {
      found.copies += 1
      found.bytes += copy.bytes?.length ?? 0
      if (!isGood(copy)) await note(copy, found, store)
      progress.at(found.copies)
    }
  } finally {
    progress.end()
    await store?.close()
    db.close()
  }
}

async function note(
  { ref }: Copy,
  found: Found,
  store: Pick<Store, 'find' | 'drop'> | null,
): Promise<void> {
  found.bad += 1
  if (found.named.length < namedMax) found.named.push({ kind: ref.kind, hash: toHex(ref.hash) })
  if (store === null) return
  // A running server may have put a good copy in its place.
  if (isGood({ ref, bytes: foundNow(store, ref) })) return
  await store.drop(ref)
  found.dropped += 1
}

/** Null also when the copy that is there cannot be read. */
function foundNow(store: Pick<Store, 'find'>, ref: ContentRef): Uint8Array | null {
  try {
    return store.find(ref)
  } catch {
    return null
  }
}

async function* allCopies(db: Database, dataDir: string): AsyncGenerator<Copy> {
  yield* listCopies(db)
  yield* listBlocks(db, createSystemFiles(), segmentsOf(dataDir))
}

/** What drops bad copies, beside a server if there is one. */
function openToDrop(db: Database, dataDir: string): SegmentStore {
  return createSegmentStore({
    db,
    writer: createInlineWriter(db),
    ops: createSystemFiles(),
    path: segmentsOf(dataDir),
    clock: systemClock,
    log: silentLog,
  })
}

function isGood({ ref, bytes }: Copy): boolean {
  if (bytes === null) return false
  try {
    verify(ref, bytes)
    return true
  } catch {
    return false
  }
}

function describe({ copies, bytes, bad, dropped, named }: Found): string {
  const lines = named.map(({ kind, hash }) => `bad  ${kind} ${hash}`)
  const more = bad > named.length ? [`bad  and ${bad - named.length} more`] : []
  const end = bad === 0 ? 'all good' : `${bad} bad, ${dropped} dropped`
  return [...lines, ...more, `${copies} copies of ${bytes} bytes verified: ${end}.`].join('\n')
}

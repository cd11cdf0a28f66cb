// `cairn store verify`: hashes every stored copy again, compares it with its hash, and compares every pin with the index. Only
// reads, unless --repair is given: then bad copies go to quarantine and good ones leave it.
import type { Command } from 'commander'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { toHex } from '../../base/hex.ts'
import type { ContentRef } from '../../content/ref.ts'
import { listCopies, type Copy } from '../../content/stored-copies.ts'
import { verify } from '../../content/verified-finds.ts'
import { listBlocks } from '../../content/segments/stored-blocks.ts'
import { countBlocks } from '../../tables/blocks.ts'
import { countContent } from '../../tables/content.ts'
import { createSegmentStore, type SegmentStore } from '../../content/segments/segment-store.ts'
import { createSystemFiles } from '../../content/system-files.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import { listUnreadablePins, type UnreadablePin } from '../../ipfs/pins/unreadable-pins.ts'
import { segmentsOf } from '../../server/open-content.ts'
import type { Context, SharedOptions } from '../context.ts'
import { refuseNoData } from '../open-data.ts'
import { createProgress } from '../progress.ts'
import { FoundBad, print } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'

type Options = SharedOptions & { readonly repair?: true }

type Found = {
  copies: number
  bytes: number
  /** Copies that are wrong or unreadable, in quarantine or not. */
  bad: number
  /** Bad copies that are in quarantine after this run. */
  quarantined: number
  /** Good copies that left quarantine. */
  released: number
  /** The first bad copies. */
  readonly named: { readonly kind: string; readonly hash: string }[]
  unreadablePins: number
  /** The first unreadable pins. */
  readonly pins: UnreadablePin[]
}

const namedMax = 100
/** Number of reads before a copy counts as bad. */
const readsMax = 3
/** Maximum number of bad blocks whose pins are searched; beyond it, only the pins of blocks in quarantine. */
const badBlocksMax = 100_000

export function defineStoreVerify(command: Command, context: Context): void {
  addSharedOptions(
    command
      .command('verify')
      .description('verify every stored copy by its hash, and compare pins with the index'),
  )
    .option('--repair', 'quarantine corrupt copies, and release valid ones')
    .addHelpText(
      'after',
      `
Examples:
  cairn store verify
  cairn store verify --repair --json

Works while a server runs. The exit code is 1 if a copy is corrupt or a pin cannot be read. Cairn does not serve a copy in
quarantine; its bytes stay on disk. A source, or another add of the same file, replaces the copy.`,
    )
    .action(async (options: Options) => {
      const { dataDir } = (await settingsOf(context, options)).config
      const found: Found = {
        copies: 0,
        bytes: 0,
        bad: 0,
        quarantined: 0,
        released: 0,
        named: [],
        unreadablePins: 0,
        pins: [],
      }
      refuseNoData(dataDir)
      await verifyAll(context, dataDir, found, options.repair === true)
      print(context, options.json, found, describe(found))
      if (found.bad + found.unreadablePins > 0) throw new FoundBad()
    })
}

async function verifyAll(
  context: Context,
  dataDir: string,
  found: Found,
  repair: boolean,
): Promise<void> {
  const db = openDatabase(join(dataDir, 'cairn.db'), { readOnly: !repair })
  if (repair) migrate(db)
  const total = countContent(db) + countBlocks(db)
  const progress = createProgress(context, { title: 'verified', total, clock: systemClock })
  const store = repair ? openToRepair(db, dataDir) : null
  const badBlocks: Uint8Array[] = []
  try {
    for await (const copy of allCopies(db, dataDir)) {
      found.copies += 1
      found.bytes += copy.bytes?.length ?? 0
      if (isGood(copy)) await noteGood(copy, found, store)
      else {
        await noteBad(copy, found, store)
        const isBlock = copy.ref.kind === 'dag-block'
        if (isBlock && badBlocks.length < badBlocksMax) badBlocks.push(copy.ref.hash)
      }
      progress.at(found.copies)
    }
    for (const pin of listUnreadablePins(db, badBlocks)) {
      found.unreadablePins += 1
      if (found.pins.length < namedMax) found.pins.push(pin)
    }
  } finally {
    progress.end()
    await store?.close()
    db.close()
  }
}

async function noteGood(copy: Copy, found: Found, store: SegmentStore | null): Promise<void> {
  if (!copy.isQuarantined) return
  found.released += 1
  await store?.release(copy.ref)
}

async function noteBad(
  { ref, isQuarantined }: Copy,
  found: Found,
  store: SegmentStore | null,
): Promise<void> {
  found.bad += 1
  if (found.named.length < namedMax) found.named.push({ kind: ref.kind, hash: toHex(ref.hash) })
  if (store !== null && !isQuarantined) {
    // A running server may have stored a good copy in the meantime.
    if (isProved(ref, () => store.peek(ref))) return
    await store.quarantine(ref)
  }
  if (store !== null || isQuarantined) found.quarantined += 1
}

async function* allCopies(db: Database, dataDir: string): AsyncGenerator<Copy> {
  yield* listCopies(db)
  yield* listBlocks(db, createSystemFiles(), segmentsOf(dataDir))
}

/** Opens the store to repair it, also while a server uses it. */
function openToRepair(db: Database, dataDir: string): SegmentStore {
  return createSegmentStore({
    db,
    writer: createInlineWriter(db),
    ops: createSystemFiles(),
    path: segmentsOf(dataDir),
    clock: systemClock,
    log: silentLog,
  })
}

/** A single wrong read does not make a copy bad. */
function isGood({ ref, bytes, again }: Copy): boolean {
  if (isProved(ref, () => bytes)) return true
  for (let read = 1; read < readsMax; read += 1) if (isProved(ref, again)) return true
  return false
}

function isProved(ref: ContentRef, read: () => Uint8Array | null): boolean {
  try {
    const bytes = read()
    if (bytes === null) return false
    verify(ref, bytes)
    return true
  } catch {
    return false
  }
}

function describe(found: Found): string {
  const { copies, bytes, bad, quarantined, released, named, unreadablePins, pins } = found
  const lines = [
    ...named.map(({ kind, hash }) => `bad  ${kind} ${hash}`),
    ...(bad > named.length ? [`bad  and ${bad - named.length} more`] : []),
    ...pins.map(({ account, cid, reason }) => `pin  ${cid} of ${account}: ${pinReasons[reason]}`),
    ...(unreadablePins > pins.length ? [`pin  and ${unreadablePins - pins.length} more`] : []),
  ]
  const ends = [
    bad === 0 ? 'all valid' : `${bad} corrupt, ${quarantined} of them in quarantine`,
    ...(released === 0 ? [] : [`${released} in quarantine are valid`]),
    ...(unreadablePins === 0 ? [] : [`${unreadablePins} pins cannot be read`]),
  ]
  return [...lines, `${copies} copies of ${bytes} bytes verified: ${ends.join(', ')}.`].join('\n')
}

const pinReasons = {
  missing: 'a block is missing or corrupt',
  hidden: 'not found in the index',
} as const

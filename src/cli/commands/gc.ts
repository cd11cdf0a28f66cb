// `cairn gc`: deletes unreferenced blocks now, instead of in the server's next round. A running server executes it; without one the
// command does.
// Tested by test/cli/gc.test.ts
import type { Command } from 'commander'
import { pause, systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { createObtain } from '../../content/obtain.ts'
import { defaultObtainLimits } from '../../content/obtain-limits.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { lockFolder } from '../../db/lock.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import {
  answerRequests,
  type Answered,
  requestCollection,
  collectFor,
  findAnswer,
} from '../../ipfs/collection/collection-requests.ts'
import { openSharedStore, openStore } from '../../server/open-content.ts'
import { openCollector } from '../../server/start-collecting.ts'
import type { Context, SharedOptions } from '../context.ts'
import { type Data, openData } from '../open-data.ts'
import { print } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'

const pollMs = 200

export function defineGc(command: Command, context: Context): void {
  addSharedOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  cairn gc
  cairn gc --json

Works with and without a running server. Deletes blocks that no pin references, and unpinned content older than
files.unpinnedMs. The server runs a collection every files.gcIntervalMs.`,
    )
    .action((options: SharedOptions) => runGc(context, options))
}

async function runGc(context: Context, options: SharedOptions): Promise<void> {
  await using data = await openData(context, options)
  const { dataDir } = (await settingsOf(context, options)).config
  const id = await requestCollection(data.fileRows, systemClock.now())
  // If the server stops in the meantime, this command executes the request.
  for (;;) {
    const answer =
      (await findAnswer(data.fileRows, id)) ??
      (await collectAlone(context, data, options, dataDir, id))
    if (answer !== null) {
      if (answer.swept === null) throw new Error(answer.error)
      const { blocks, bytes } = answer.swept
      print(context, options.json, { blocks, bytes }, `${blocks} blocks of ${bytes} bytes deleted.`)
      return
    }
    await pause(pollMs)
  }
}

/** Null: a server has locked the folder. */
async function collectAlone(
  context: Context,
  { db, fileRows }: Data,
  options: SharedOptions,
  dataDir: string,
  id: number,
): Promise<Answered | null> {
  const unlock = tryLock(dataDir)
  if (unlock === null) return null
  const { config } = await settingsOf(context, options)
  const writer = createInlineWriter(db)
  const log = createLog(() => 'warn', systemClock.now, context.err)
  try {
    await using opening = new AsyncDisposableStack()
    const local = await openStore({
      dataDir,
      database: db,
      writer,
      bytesMax: config.store.bytesMax,
      clock: systemClock,
      log,
    })
    opening.defer(() => local.close())
    const rows = config.objects.url === null ? createSqliteRows(db, writer) : fileRows
    const shared = { config, rows, local, clock: systemClock, log }
    const store = (await openSharedStore(shared, opening)) ?? local
    const { obtain } = createObtain({
      store,
      sourcesFor: () => [],
      verify: ({ hash }, bytes) => verifyDagBlock(hash, bytes),
      clock: systemClock,
      log,
      count: () => {},
      limits: defaultObtainLimits,
    })
    const parts = { config, rows, writer, store, obtain, clock: systemClock, log }
    const collector = openCollector(parts, null)
    const answer = await collectFor(collector)
    await collector.stop()
    await rows.write(answerRequests(id, answer, systemClock.now()))
    return answer
  } finally {
    unlock()
  }
}

function tryLock(dataDir: string): (() => void) | null {
  try {
    return lockFolder(dataDir)
  } catch {
    return null
  }
}

// `cairn store rebuild`: rebuilds the block index from the segment files, if `cairn.db` is lost or its index is wrong. Accounts,
// keys and pins are not in those files: only a backup restores them.
// Tested by src/cli/commands/store-verify.test.ts
import type { Command } from 'commander'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { rebuildIndex } from '../../content/segments/rebuild-index.ts'
import { createSystemFiles } from '../../content/system-files.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { lockFolder } from '../../db/lock.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { makeDataFolder } from '../../server/make-data-folder.ts'
import { segmentsOf } from '../../server/open-content.ts'
import type { Context, SharedOptions } from '../context.ts'
import { createProgress, type Progress } from '../progress.ts'
import { print } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'

export function defineStoreRebuild(command: Command, context: Context): void {
  addSharedOptions(
    command.command('rebuild').description('rebuild the block index from the segment files'),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn store rebuild
  cairn store rebuild --data-dir /var/lib/cairn --json

Stop the server first. Cairn hashes every block and indexes valid ones. If cairn.db is missing, Cairn creates it; accounts,
keys and pins cannot be recreated.`,
    )
    .action(async (options: SharedOptions) => {
      const { dataDir } = (await settingsOf(context, options)).config
      makeDataFolder(dataDir)
      const unlock = lockFolder(dataDir)
      const db = openDatabase(join(dataDir, 'cairn.db'))
      const progress: Progress[] = []
      try {
        migrate(db)
        const rebuilt = await rebuildIndex({
          db,
          writer: createInlineWriter(db),
          ops: createSystemFiles(),
          path: segmentsOf(dataDir),
          verify: ({ hash }, bytes) => verifyDagBlock(hash, bytes),
          clock: systemClock,
          onBytes(done, total) {
            progress[0] ??= createProgress(context, { title: 'read', total, clock: systemClock })
            progress[0].at(done)
          },
        })
        progress[0]?.end()
        const { blocks, added, mended, bad } = rebuilt
        const text = `${blocks} blocks in the segment files: ${added} rows added, ${mended} rows corrected, ${bad} corrupt copies.`
        print(context, options.json, rebuilt, text)
      } finally {
        db.close()
        unlock()
      }
    })
}

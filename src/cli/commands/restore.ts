// `cairn restore`: restores a backup into a new data folder, ready for a server.
// Tested by test/backup/backup.test.ts
import type { Command } from 'commander'
import { findBackup } from '../../backup/list-backups.ts'
import { bytesOf } from '../../backup/manifest.ts'
import { restoreBackup } from '../../backup/restore-backup.ts'
import {
  type SourceOptions,
  addSourceOption,
  showBytes,
  showSize,
  withTarget,
} from '../backup-target.ts'
import type { Context, SharedOptions } from '../context.ts'
import { showTime } from '../open-data.ts'
import { print } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'

type Options = SharedOptions & SourceOptions & { readonly backup?: string }

export function defineRestore(command: Command, context: Context): void {
  addSourceOption(addSharedOptions(command))
    .option('--backup <id>', 'backup to restore (the newest)')
    .addHelpText(
      'after',
      `
Examples:
  cairn restore --from /mnt/backup/cairn --data-dir ./restored
  cairn restore --from s3://backups/cairn --backup 20260131T235959000Z-1a2b3c --data-dir /var/lib/cairn

The data folder must be absent or empty. Cairn checks every file by its SHA-256 and writes the database last. After an
interruption, run the command again. Then start the server on the folder: cairn start --data-dir <folder>`,
    )
    .action((options: Options) => restore(context, options))
}

async function restore(context: Context, options: Options): Promise<void> {
  const { config } = await settingsOf(context, options)
  const { dataDir } = config
  const progress = showBytes(context, 'restored')
  const manifest = await withTarget(options, config, async (target, signal) => {
    const found = await findBackup(target, options.backup ?? null, signal)
    await restoreBackup(found, target, { dataDir, signal, onProgress: progress.at })
    return found
  }).finally(progress.end)
  const { id, began, files } = manifest
  const bytes = bytesOf(manifest)
  print(
    context,
    options.json,
    { id, began: showTime(began), files: files.length, bytes, dataDir },
    `backup ${id} of ${showTime(began)} restored into ${dataDir}: ${files.length} files of ${showSize(bytes)}, all valid.`,
  )
}

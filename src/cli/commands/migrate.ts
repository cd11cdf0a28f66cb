// `cairn migrate`: moves accounts, people, usage and files from the data folder to PostgreSQL and a bucket, and back.
// Tested by test/cli/migrate.test.ts
import type { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import type { Context, SharedOptions } from '../context.ts'
import { createProgress, type Progress } from '../progress.ts'
import { print } from '../report.ts'
import type { Moved } from '../relocate/move.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'

type Direction = 'to-shared' | 'to-folder'

export function defineMigrate(command: Command, context: Context): void {
  addSharedOptions(
    command
      .command('to-shared')
      .description('move the data folder to the database and bucket of the settings'),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn migrate to-shared --config cairn.yaml

The settings file is the one that servers use afterwards: dataDir, database.url and objects.url. Write passwords as
\${env:…} there. The database and the bucket must be empty.

While a server runs on the folder, Cairn copies file blocks only. Then stop the server and run the command again: Cairn
copies the missing blocks and all rows, compares both ends, and marks the folder as moved. After an interruption, run the
command again. Unfinished resumable uploads are not moved.`,
    )
    .action((options: SharedOptions) => move(context, options, 'to-shared'))
  addSharedOptions(
    command
      .command('to-folder')
      .description('move the database and bucket of the settings to the data folder'),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn migrate to-folder --config cairn.yaml
  cairn migrate to-folder --config cairn.yaml --data-dir ./alone

The data folder must contain identity.pem of the servers, and no accounts, or those that cairn migrate to-shared moved.

While a server uses the database, Cairn copies file blocks only. Then stop all servers, wait one minute, and run the
command again. Then start the server without database.url and objects.url.`,
    )
    .action((options: SharedOptions) => move(context, options, 'to-folder'))
}

async function move(context: Context, options: SharedOptions, direction: Direction): Promise<void> {
  const { config } = await settingsOf(context, options)
  const { moveToShared, moveToFolder } = await import('../relocate/move.ts')
  const progress: Progress[] = []
  const run = direction === 'to-shared' ? moveToShared : moveToFolder
  const moved = await run({
    config,
    onBlocks(done, total) {
      progress[0] ??= createProgress(context, {
        title: 'blocks',
        total,
        clock: systemClock,
        interrupted: 'interrupted: run the command again to continue',
      })
      progress[0].at(done)
    },
    onStep: () => {},
  }).finally(() => progress[0]?.end())
  const { blocks, recount, sampled } = moved
  const value = { complete: recount !== null, blocks, ...recount, sampled }
  print(context, options.json, value, describe(moved, direction))
}

function describe({ blocks, recount, sampled }: Moved, direction: Direction): string {
  const { copied, present, unreadable } = blocks
  const lines = [
    `${copied} blocks copied, ${present} were there, ${unreadable} have no valid copy.`,
  ]
  if (recount === null) {
    const stop =
      direction === 'to-shared'
        ? 'A server runs on the data folder. Stop it'
        : 'A server uses the database. Stop all servers, wait one minute'
    return [...lines, `${stop}, then run this command again to move the rows.`].join('\n')
  }
  const rows = Object.entries(recount.rows).filter(([, count]) => count > 0)
  const next =
    direction === 'to-shared'
      ? 'Start servers with these settings.'
      : 'Start the server without database.url and objects.url.'
  return [
    ...lines,
    `Rows: ${rows.map(([name, count]) => `${name} ${count}`).join(', ')}.`,
    `Storage of ${recount.accounts} accounts: ${recount.storedBytes} bytes, equal at both ends.`,
    `${sampled} random blocks read from the target, all valid; ${recount.lost} blocks without a copy.`,
    next,
  ].join('\n')
}

// `cairn backup`: copies the data folder to a folder or a bucket, with and without a running server, and lists and
// verifies backups.
// Tested by test/backup/backup.test.ts
import type { Command } from 'commander'
import { obtainPublicKey } from '../../access/accounts/server-identity.ts'
import { findBackup, listBackups } from '../../backup/list-backups.ts'
import { type TaskResult, runBackup } from '../../backup/run-backup.ts'
import { type CheckPins, type Verified, isSound, verifyBackup } from '../../backup/verify-backup.ts'
import { systemClock } from '../../base/clock.ts'
import { findOne, iterate } from '../../db/sqlite-rows.ts'
import { listUnreadablePins } from '../../ipfs/pins/unreadable-pins.ts'
import { cairnVersion } from '../../server/version.ts'
import { listPinsOfAll } from '../../tables/pins.ts'
import { closureTableExists } from '../../tables/roots.ts'
import {
  type SourceOptions,
  addSourceOption,
  chosenTarget,
  showBytes,
  showSize,
  untilInterrupted,
  withTarget,
} from '../backup-target.ts'
import type { Context, SharedOptions } from '../context.ts'
import { refuseNoData, showTime } from '../open-data.ts'
import { FoundBad, print, table } from '../report.ts'
import { addSharedOptions, settingsOf } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'

type MakeOptions = SharedOptions & { readonly to?: string; readonly keep?: string }
type ReadOptions = SharedOptions & SourceOptions

const keepMax = 10_000
const shownMax = 20

export function defineBackup(command: Command, context: Context): void {
  defineList(command, context)
  defineVerify(command, context)
  addSharedOptions(command)
    .option('--to <target>', 'folder or s3://<bucket>/<prefix> (setting backup.to)')
    .option('--keep <number>', 'remove all backups but the newest <number> afterwards (keep all)')
    .addHelpText(
      'after',
      `
Examples:
  cairn backup --to /mnt/backup/cairn
  cairn backup --to s3://backups/cairn --keep 14
  cairn backup list --from /mnt/backup/cairn
  cairn backup verify --from s3://backups/cairn

Works with and without a running server. Everything acknowledged before the start is in the backup. Segments that the target
contains are not copied again. S3 keys: backup.s3.accessKeyId and backup.s3.secretAccessKey of the settings file, or
CAIRN_BACKUP_S3_ACCESS_KEY_ID and CAIRN_BACKUP_S3_SECRET_ACCESS_KEY.`,
    )
    .action((options: MakeOptions) => make(context, options))
}

function defineList(command: Command, context: Context): void {
  addSourceOption(
    addSharedOptions(command.command('list').description('list the backups of a target')),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn backup list --from /mnt/backup/cairn
  cairn backup list --json`,
    )
    .action((options: ReadOptions) => list(context, options))
}

function defineVerify(command: Command, context: Context): void {
  addSourceOption(
    addSharedOptions(
      command
        .command('verify [backup]')
        .description(
          'verify a backup: digests of all files, database, and pins (the newest backup)',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn backup verify --from /mnt/backup/cairn
  cairn backup verify 20260131T235959000Z-1a2b3c --json

Reads the whole backup. Copies its database to the folder for temporary files (TMPDIR). The exit code is 1 if the backup
is damaged.`,
    )
    .action((id: string | undefined, options: ReadOptions) => verify(context, id ?? null, options))
}

async function make(context: Context, options: MakeOptions): Promise<void> {
  const { config } = await settingsOf(context, options)
  const { dataDir, backup } = config
  const to = chosenTarget('--to', options.to, config)
  const keep = keepOf(options.keep)
  refuseNoData(dataDir)
  const server = Buffer.from(obtainPublicKey(config)).toString('hex')
  const task = { dataDir, server, version: cairnVersion(), to, s3: backup.s3, keep }
  const progress = showBytes(context, 'backup')
  const result = await untilInterrupted((signal) =>
    runBackup(task, { clock: systemClock, signal, onProgress: progress.at }),
  ).finally(progress.end)
  print(context, options.json, { ...result, to }, describeResult(result, to))
  if (result.missing.length > 0 || result.notRemoved !== null) throw new FoundBad()
}

function keepOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const keep = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (keep >= 1 && keep <= keepMax) return keep
  throw new UsageError(`--keep is "${text}", expected 1 to ${keepMax}`)
}

function describeResult(result: TaskResult, to: string): string {
  const { id, files, bytes, storedFiles, storedBytes, missing, removed, notRemoved } = result
  const seconds = ((result.ended - result.began) / 1000).toFixed(1)
  return [
    `backup ${id} in ${to}: ${files} files of ${showSize(bytes)}, ${storedFiles} of ${showSize(storedBytes)} are new, ${seconds} s.`,
    ...(missing.length === 0
      ? []
      : [
          `${missing.length} segments are missing in the data folder (${missing.slice(0, shownMax).join(', ')}): run cairn store verify`,
        ]),
    ...(removed === 0 ? [] : [`${removed} old backups removed.`]),
    ...(notRemoved === null ? [] : [`old backups were not removed: ${notRemoved}`]),
  ].join('\n')
}

async function list(context: Context, options: ReadOptions): Promise<void> {
  const { config } = await settingsOf(context, options)
  const damaged: string[] = []
  const backups = await withTarget(options, config, (target, signal) =>
    listBackups(target, signal, (reason) => damaged.push(reason)),
  )
  const rows = backups.map(({ id, began, files, bytes, cairn, missing }) => [
    id,
    showTime(began),
    files,
    showSize(bytes),
    cairn,
    missing === 0 ? 'complete' : `${missing} segments missing`,
  ])
  const headings = ['BACKUP', 'TIME', 'FILES', 'SIZE', 'CAIRN', 'STATE']
  const text = [table(headings, rows, 'no backups'), ...damaged].join('\n')
  const shown = backups.map(({ began, ended, ...backup }) => ({
    ...backup,
    began: showTime(began),
    ended: showTime(ended),
  }))
  print(context, options.json, { backups: shown, damaged }, text)
  if (damaged.length > 0) throw new FoundBad()
}

async function verify(context: Context, id: string | null, options: ReadOptions): Promise<void> {
  const { config } = await settingsOf(context, options)
  const progress = showBytes(context, 'verified')
  const found = await withTarget(options, config, async (target, signal) => {
    const manifest = await findBackup(target, id, signal)
    const parts = { checkPins, signal, onProgress: progress.at }
    return { id: manifest.id, ...(await verifyBackup(manifest, target, parts)) }
  }).finally(progress.end)
  const sound = isSound(found)
  print(context, options.json, { ok: sound, ...found }, describeVerified(found))
  if (!sound) throw new FoundBad()
}

const checkPins: CheckPins = (db) => {
  if (findOne(db, closureTableExists()) === null) return { pins: 0, unreadable: 0 }
  const count = (all: Iterable<unknown>): number => [...all].length
  return {
    pins: count(iterate(db, listPinsOfAll())),
    unreadable: count(listUnreadablePins(db, [])),
  }
}

function describeVerified(found: Verified & { readonly id: string }): string {
  const { id, files, bytes, damaged, database, missing, pins, unreadablePins } = found
  const ends = isSound(found)
    ? 'all valid'
    : [
        `${damaged.length} files damaged`,
        `${database.length} faults in the database`,
        `${missing.length} segments missing`,
        `${unreadablePins} pins cannot be read`,
      ].join(', ')
  return [
    ...damaged
      .slice(0, shownMax)
      .map(({ path, sha256, reason }) => `damaged  ${path} (object ${sha256}): ${reason}`),
    ...database.slice(0, shownMax).map(({ table: name, text }) => `database  ${name}: ${text}`),
    ...(missing.length === 0 ? [] : [`missing  segments ${missing.slice(0, shownMax).join(', ')}`]),
    `backup ${id}: ${files} files of ${showSize(bytes)} and ${pins} pins verified: ${ends}.`,
  ].join('\n')
}

// Which target of backups a command uses: the one that it names, or `backup.to` of the settings.
// Tested by test/backup/backup.test.ts
import type { Command } from 'commander'
import { openTarget } from '../backup/open-target.ts'
import type { BackupTarget } from '../backup/target.ts'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../config/settings.ts'
import type { Context } from './context.ts'
import { onInterrupt } from './on-interrupt.ts'
import { createProgress } from './progress.ts'
import { UsageError } from './usage-error.ts'

export type SourceOptions = { readonly from?: string }

/** Adds `--from`, for commands that read backups. */
export function addSourceOption(command: Command): Command {
  return command.option(
    '--from <target>',
    'folder or s3://<bucket>/<prefix> with backups (setting backup.to)',
  )
}

/** Throws UsageError without a target. */
export function chosenTarget(
  flag: '--to' | '--from',
  targetOption: string | undefined,
  { backup }: Pick<Config, 'backup'>,
): string {
  const chosen = targetOption ?? backup.to
  if (chosen !== null && chosen !== '') return chosen
  throw new UsageError(
    `no target of backups: use ${flag} <folder or s3://bucket/prefix>, or set backup.to`,
  )
}

/** Opens the target for `work` and closes it. The first SIGINT or SIGTERM aborts `signal`, a second one ends the process. */
export async function withTarget<Result>(
  { from }: SourceOptions,
  config: Pick<Config, 'backup'>,
  work: (target: BackupTarget, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const target = openTarget(chosenTarget('--from', from, config), config.backup.s3, systemClock)
  try {
    return await untilInterrupted((signal) => work(target, signal))
  } finally {
    await target.close()
  }
}

/** As `withTarget`, for work that needs no target. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interrupt = new AbortController()
  const stopListening = onInterrupt(() => interrupt.abort(new Error('interrupted')))
  try {
    return await work(interrupt.signal)
  } finally {
    stopListening()
  }
}

/** A progress bar in bytes. The first report sets the total. */
export function showBytes(
  context: Context,
  title: string,
): { at(done: number, total: number): void; end(): void } {
  let progress: ReturnType<typeof createProgress> | null = null
  return {
    at(done, total) {
      progress ??= createProgress(context, { title, total, unit: 'bytes', clock: systemClock })
      progress.at(done)
    },
    end() {
      progress?.end()
      progress = null
    },
  }
}

/** `12.3 MiB`. */
export function showSize(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

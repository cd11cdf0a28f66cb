// `cairn import car`: imports CAR files into the running server, several in parallel, and pins their roots. Can be interrupted and
// repeated: files whose roots are pinned are skipped.
// Tested by test/cli/import-car.test.ts
import type { Command } from 'commander'
import { readFile, stat } from 'node:fs/promises'
import { systemClock } from '../../base/clock.ts'
import type { Context } from '../context.ts'
import { createProgress } from '../progress.ts'
import { FoundBad, print, visible } from '../report.ts'
import { addServerOptions, type ServerOptions } from '../server-access.ts'
import { addSharedOptions } from '../shared-options.ts'
import { UsageError } from '../usage-error.ts'
import { withServer } from '../with-server.ts'
import { type CarFile, type ImportedCars, importCars } from './import-cars.ts'
import { writeReport } from './write-report.ts'

type Options = ServerOptions & {
  readonly list?: string
  readonly atOnce: string
  readonly report: string
}

const atOnceMax = 16
const filesMax = 1_000_000
/** Maximum number of failures on the screen; the report file has all. */
const shownMax = 10

export function defineImportCar(command: Command, context: Context): void {
  addServerOptions(
    addSharedOptions(
      command.command('car').description('store the blocks of CAR files and pin their roots'),
    ),
  )
    .argument('[files...]', 'CAR files, version 1 or 2')
    .option('--list <file>', 'file with paths, one per line; also the report of an earlier run')
    .option('--at-once <number>', 'number of parallel uploads', '4')
    .option('--report <file>', 'file for the list of failures', 'import-car.failed')
    .addHelpText(
      'after',
      `
Examples:
  cairn import car backup/*.car
  cairn import car --list import-car.failed

The server verifies every block. It stores a file completely, with its roots pinned, or not at all. After an interruption,
run the command again: it skips files whose roots are pinned. Failures are listed in the report; the exit code is 1.`,
    )
    .action((files: readonly string[], options: Options) => run(context, files, options))
}

async function run(context: Context, args: readonly string[], options: Options): Promise<void> {
  const atOnce = /^\d{1,2}$/.test(options.atOnce) ? Number(options.atOnce) : 0
  if (atOnce < 1 || atOnce > atOnceMax) {
    throw new UsageError(`--at-once is "${options.atOnce}", expected 1 to ${atOnceMax}`)
  }
  const paths = [...new Set([...args, ...(await listed(options.list))])]
  if (paths.length === 0) throw new UsageError('no CAR files: add paths, or use --list')
  if (paths.length > filesMax) throw new UsageError(`more than ${filesMax} files`)
  const files: CarFile[] = []
  for (const path of paths) files.push({ path, bytes: await bytesOf(path) })
  const total = options.json === true ? 0 : files.reduce((sum, { bytes }) => sum + bytes, 0)
  const began = systemClock.monotonic()
  const clock = systemClock
  const progress = createProgress(context, { title: 'CAR files', total, clock, unit: 'bytes' })
  const imported = await withServer(context, options, atOnce + 1, (client, signal) =>
    importCars(files, { client, atOnce, clock, progress: progress.at }, signal),
  ).finally(progress.end)
  const seconds = (systemClock.monotonic() - began) / 1000
  const report = await writeReport(options.report, failedLines(imported))
  printReport(context, options, imported, { total: files.length, seconds, report })
}

async function listed(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return []
  const text = await readFile(file, 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** Returns 0 for a path that is not a file; it fails later, when it is sent. */
async function bytesOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

/** The failed files, each after a comment line with the reason. */
function failedLines({ failed }: ImportedCars): readonly string[] {
  return failed.flatMap(({ path, reason }) => [`# ${visible(reason)}`, path])
}

function printReport(
  context: Context,
  options: Options,
  { roots, imported, present, failed, left, ended }: ImportedCars,
  run: { readonly total: number; readonly seconds: number; readonly report: string | null },
): void {
  const ok = failed.length + left.length === 0
  const counts = { imported, present, failed: failed.length, left: left.length, ended }
  const lines = [
    ...roots.map((root) => `pinned ${root}`),
    `${imported} imported in ${run.seconds.toFixed(1)} s, ${present} already pinned, ${failed.length} failed.`,
    ...failed.slice(0, shownMax).map(({ path, reason }) => visible(`failed: ${path}: ${reason}`)),
    ...(run.report === null
      ? []
      : [`Failures are listed in ${run.report}: use it with --list for the next run.`]),
    ...(left.length === 0
      ? []
      : [`${left.length} remaining: ${ended ?? 'ended early'}. Run the command again.`]),
  ]
  print(context, options.json, { ok, ...run, ...counts, roots }, lines.join('\n'))
  if (!ok) throw new FoundBad()
}

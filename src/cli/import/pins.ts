// `cairn import pins`: pins the CIDs of a list through the API of the running server, with the blocks from another service. Can be
// interrupted and repeated: existing pins are skipped.
// Tested by test/cli/import-pins.test.ts
import type { Command } from 'commander'
import { createReadStream } from 'node:fs'
import { systemClock } from '../../base/clock.ts'
import { describeErrno } from '../../base/describe-errno.ts'
import type { Context } from '../context.ts'
import { createProgress } from '../progress.ts'
import { FoundBad, print, visible } from '../report.ts'
import { addSharedOptions } from '../shared-options.ts'
import {
  addServerOptions,
  serverAccess,
  type ServerAccess,
  type ServerOptions,
} from '../server-access.ts'
import { onInterrupt } from '../on-interrupt.ts'
import { UsageError } from '../usage-error.ts'
import { type MovedPins, movePins } from './move-pins.ts'
import { parsePinList, type PinList } from './pin-list.ts'
import { openPinOrigin, type PinOrigin } from './pin-origin.ts'
import { writeReport } from './write-report.ts'
import { createPinTarget } from './pin-target.ts'

type Options = ServerOptions & {
  readonly from?: string
  readonly fromHeader: readonly string[]
  readonly atOnce: string
  readonly report?: string
}

const listBytesMax = 512 * 1024 * 1024
const atOnceMax = 64
/** Maximum number of failures on the screen; the report file has all. */
const shownMax = 10

export function defineImportPins(command: Command, context: Context): void {
  addServerOptions(
    addSharedOptions(
      command.command('pins').description('copy pins from a Kubo node or an IPFS gateway'),
    ),
  )
    .argument('[list]', 'file with CIDs, one per line, or output of pin/ls; - reads standard input')
    .option('--from <url>', 'Kubo RPC or trustless gateway that supplies the blocks')
    .option('--from-header <header>', 'header "name: value" for --from, repeatable', append, [])
    .option('--at-once <number>', 'number of parallel pins', '16')
    .option('--report <file>', 'file for the list of failures, the input of the next run')
    .addHelpText(
      'after',
      `
Examples:
  ipfs pin ls --type=recursive --names > pins.txt && cairn import pins pins.txt --from http://127.0.0.1:5001
  cairn import pins --from http://127.0.0.1:5001              copy all pins of the node
  cairn import pins cids.txt --from https://gateway.example
  cairn import pins cids.txt                                  use the files.sources of the server

The list contains one CID per line, the text, JSON or NDJSON of pin/ls, or the report of an earlier run. Names and types
of pins are copied. The server verifies every block, and pins a root once all blocks below it are stored. After an
interruption, run the command again: it skips existing pins. Failures are written to <list>.failed; the exit code is 1.`,
    )
    .action(async (list: string | undefined, options: Options) => {
      await importPins(context, list ?? null, options)
    })
}

async function importPins(context: Context, list: string | null, options: Options): Promise<void> {
  if (list === null && options.from === undefined) {
    throw new UsageError(
      'no pins: add a list, or use --from with a Kubo RPC to copy all of its pins',
    )
  }
  const server = await serverAccess(context, options)
  const { ok, value, text } = await copyPins(context, { ...options, server, list })
  print(context, options.json, value, text)
  if (!ok) throw new FoundBad()
}

export type PinCopy = {
  readonly server: ServerAccess
  /** Path of the list, `-` for standard input; null: all pins of `from`. */
  readonly list: string | null
  readonly from?: string
  readonly fromHeader: readonly string[]
  readonly atOnce: string
  readonly report?: string
}

export type CopiedPins = { readonly ok: boolean; readonly value: object; readonly text: string }

/**
 * Copies the pins of a list, with progress and a report file of failures. Throws UsageError, or an Error with a message for the
 * user.
 */
export async function copyPins(context: Context, options: PinCopy): Promise<CopiedPins> {
  const { server, list } = options
  const atOnce = /^\d{1,3}$/.test(options.atOnce) ? Number(options.atOnce) : 0
  if (atOnce < 1 || atOnce > atOnceMax) {
    throw new UsageError(`--at-once is "${options.atOnce}", expected 1 to ${atOnceMax}`)
  }
  const headers = Object.fromEntries(options.fromHeader.map(parseHeader))
  const interrupt = new AbortController()
  const stopListening = onInterrupt(() => interrupt.abort(new Error('interrupted')))
  const stayAlive = new MessageChannel().port1
  stayAlive.ref()
  const connections = atOnce + 1
  const target = createPinTarget(server, connections)
  let origin: PinOrigin | null = null
  try {
    const { signal } = interrupt
    if (options.from !== undefined) {
      origin = await openPinOrigin({ url: urlOf(options.from), headers, connections }, signal)
    }
    const read = await readList(list, origin, signal)
    const began = systemClock.monotonic()
    const total = read.wanted.length
    const progress = createProgress(context, { title: 'pins', total, clock: systemClock })
    const parts = { target, origin, atOnce, clock: systemClock, progress: progress.at }
    const moved = await movePins(read.wanted, parts, signal).finally(progress.end)
    const seconds = (systemClock.monotonic() - began) / 1000
    const report = await writeReport(options.report ?? usualReport(list), failedLines(read, moved))
    return describeCopy({ read, moved, seconds, report })
  } finally {
    stopListening()
    stayAlive.close()
    await Promise.all([target.close(), origin?.close()])
  }
}

async function readList(
  list: string | null,
  origin: PinOrigin | null,
  signal: AbortSignal,
): Promise<PinList> {
  if (list === null && origin !== null) return parsePinList(await origin.list(signal))
  return readPinList(list)
}

/** `list`: a path; `-` or null reads standard input. Throws an Error with a message for the user. */
export async function readPinList(list: string | null): Promise<PinList> {
  const input =
    list === '-' || list === null
      ? createReadStream('', { fd: 0, autoClose: false })
      : createReadStream(list)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > listBytesMax) throw new Error(`it is larger than ${listBytesMax} bytes`)
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new Error(`cannot read the list ${list}: ${describeErrno(cause)}`, { cause })
  }
  return parsePinList(Buffer.concat(chunks).toString('utf8'))
}

function usualReport(list: string | null): string {
  return list === null || list === '-' ? 'import-pins.failed' : `${list}.failed`
}

/** The failed pins as a list for the next run. */
function failedLines({ wrong }: PinList, { failed }: MovedPins): readonly string[] {
  return [
    ...failed.map(({ pin: { cid, mode, name }, reason }) =>
      JSON.stringify({ Cid: cid.toString(), Type: mode, Name: name, Error: reason }),
    ),
    ...wrong.map(({ place, text }) => `# ${place} is not a CID: ${visible(text)}`),
  ]
}

function describeCopy({
  read,
  moved,
  seconds,
  report,
}: {
  readonly read: PinList
  readonly moved: MovedPins
  readonly seconds: number
  readonly report: string | null
}): CopiedPins {
  const { pinned, present, failed, left, ended } = moved
  const wrong = read.wrong.length
  const ok = failed.length + wrong + left.length === 0
  const value = {
    ok,
    total: read.wanted.length,
    pinned,
    present,
    failed: failed.length,
    wrong,
    left: left.length,
    ended,
    report,
    seconds,
  }
  const lines = [
    `${pinned} pinned in ${seconds.toFixed(1)} s, ${present} already pinned, ${failed.length} failed.`,
    ...failed
      .slice(0, shownMax)
      .map(({ pin, reason }) => `failed: ${pin.cid.toString()}: ${visible(reason)}`),
    ...read.wrong
      .slice(0, shownMax)
      .map(({ place, text }) => `${place} is not a CID: ${visible(text)}`),
    ...(report === null ? [] : [`Failures are listed in ${report}, the input of the next run.`]),
    ...(left.length === 0
      ? []
      : [`${left.length} remaining: ${ended ?? 'ended early'}. Run the command again.`]),
  ]
  return { ok, value, text: lines.join('\n') }
}

export function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function parseHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError('--from-header expects "name: value"')
  }
  return [name, value]
}

function urlOf(text: string): string {
  // The message omits the text, because it may contain a secret.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError('--from expects http://… or https://…')
  }
  return text
}

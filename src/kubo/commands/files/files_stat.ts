// `files/stat` for content and for paths of the account's file tree.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import type { ImportProfile } from '../../../codec/ipld/import-profile.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type KuboCommand, type OptionValues, flag, text, valueOf } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'
import { checkSourcePath, resolveSource } from '../../params/mfs-source.ts'

type FilesStatInput = {
  readonly path: string
  /** Format of the text reply. */
  readonly format: string
  readonly profile: ImportProfile
  readonly withLocal: boolean
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

const declared = {
  withLocal: flag('with-local'),
  format: text('format'),
  hash: flag('hash'),
  size: flag('size'),
}

export const filesStat: KuboCommand<FilesStatInput> = {
  name: 'files/stat',
  class: 'read',
  argument: { name: 'path', required: true },
  body: 'none',
  options: Object.values(declared),
  parse({ args, options }, profile) {
    const formats = [
      valueOf(options, declared.hash),
      valueOf(options, declared.size),
      valueOf(options, declared.format) !== '',
    ]
    if (formats.filter(Boolean).length > 1) {
      const detail =
        'invalid parameters: format was set by multiple options. Only one format option is allowed'
      throw new Fault('bad_params', { detail })
    }
    return {
      path: checkSourcePath(args[0] ?? ''),
      format: formatIn(options),
      profile,
      withLocal: valueOf(options, declared.withLocal),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    const { withLocal, patience, print, format } = input
    const { files, signal } = call
    const cid = await resolveSource(input, call)
    const { kind, size, cumulativeSize, links, mode, mtime } = await files.stat(
      cid,
      patience,
      signal,
    )
    const local = withLocal ? await files.locality(cid, signal) : null
    // As in Kubo, members that are zero are omitted.
    const value = {
      Hash: print(cid),
      Size: size,
      CumulativeSize: cumulativeSize,
      Blocks: links,
      Type: kind === 'directory' ? 'directory' : 'file',
      ...(local === null ? {} : { WithLocality: true }),
      ...(local?.complete === true ? { Local: true } : {}),
      ...(local === null ? {} : { SizeLocal: local.bytes }),
      ...(mode === null ? {} : { Mode: mode.toString(8).padStart(4, '0') }),
      ...(mtime === null ? {} : { Mtime: mtime.seconds }),
      ...(mtime === null || mtime.nanos === 0 ? {} : { MtimeNsecs: mtime.nanos }),
    }
    return { kind: 'object', value, text: () => statText(value, format) }
  },
}

const defaultFormat = `<hash>
Size: <size>
CumulativeSize: <cumulsize>
ChildBlocks: <childs>
Type: <type>
Mode: <mode> (<mode-octal>)
Mtime: <mtime>`

function formatIn(options: OptionValues): string {
  if (valueOf(options, declared.hash)) return '<hash>'
  if (valueOf(options, declared.size)) return '<cumulsize>'
  return valueOf(options, declared.format) || defaultFormat
}

type Stat = {
  readonly Hash: string
  readonly Size: bigint
  readonly CumulativeSize: bigint
  readonly Blocks: number
  readonly Type: string
  readonly Mode?: string
  readonly Mtime?: bigint
  readonly MtimeNsecs?: number
}

/** Replaces each token once, in Kubo's order. */
function statText(stat: Stat, format: string): string {
  const unset = 'not set'
  const { Mode, Mtime } = stat
  const isTimed = Mtime !== undefined && Mtime > 0n
  const tokens: readonly (readonly [string, string])[] = [
    ['<hash>', stat.Hash],
    ['<size>', String(stat.Size)],
    ['<cumulsize>', String(stat.CumulativeSize)],
    ['<childs>', String(stat.Blocks)],
    ['<type>', stat.Type],
    ['<mode>', Mode === undefined ? unset : modeText(Number.parseInt(Mode, 8))],
    ['<mode-octal>', Mode === undefined ? unset : Mode],
    ['<mtime>', isTimed ? timeText(Mtime) : unset],
    ['<mtime-secs>', isTimed ? String(Mtime) : unset],
    ['<mtime-nsecs>', isTimed ? String(stat.MtimeNsecs ?? 0) : unset],
  ]
  return `${tokens.reduce((text, [token, value]) => text.replaceAll(token, () => value), format)}\n`
}

/** As `ls -l` writes permissions. */
function modeText(mode: number): string {
  const flags = Array.from('rwxrwxrwx', (letter, at) => ((mode >> (8 - at)) & 1 ? letter : '-'))
  return `-${flags.join('')}`
}

/** `2 Jan 2006, 15:04:05 UTC`. */
function timeText(seconds: bigint): string {
  const [, day, month, year, time] = new Date(Number(seconds) * 1000).toUTCString().split(' ')
  return `${Number(day)} ${month} ${year}, ${time} UTC`
}

// `ls`: the entries of directories, or the chunks of files, with the type of each.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import { dagPbCodec, rawCodec } from '../../../codec/ipld/cid.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { sortedByName } from '../../../ipfs/import/import-directory.ts'
import type { DirectoryEntry, NodeStat } from '../../../ipfs/read/listed.ts'
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'
import {
  type ListedLink,
  type Listing,
  listText,
  type ListTextOptions,
  streamWidths,
} from '../../replies/list-text.ts'

type LsInput = {
  readonly paths: readonly string[]
  /** Whether to read each entry's block for its type and size. */
  readonly resolving: boolean
  readonly stream: boolean
  readonly text: ListTextOptions
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

type Shown = { readonly link: ListedLink; readonly name: string }

/** Maximum number of entries of a reply that is a single object; streamed lists are not limited. */
const bufferedEntriesMax = 250_000
const types = { directory: 1, file: 2, symlink: 4 }
const noTime = '0001-01-01T00:00:00Z'
/** The last second of the year 9999: the maximum of RFC 3339. */
const secondsMax = 253_402_300_799n

const declared = {
  headers: flag('headers', { alias: 'v' }),
  resolveType: flag('resolve-type', { default: true }),
  size: flag('size', { default: true }),
  stream: flag('stream', { alias: 's' }),
}

export const ls: KuboCommand<LsInput> = {
  name: 'ls',
  class: 'read',
  argument: { name: 'ipfs-path', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    return {
      paths: args,
      resolving: valueOf(options, declared.resolveType) || valueOf(options, declared.size),
      stream: valueOf(options, declared.stream),
      text: { headers: valueOf(options, declared.headers), sizes: valueOf(options, declared.size) },
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    if (input.stream) {
      const text = (line: unknown) => listText(line as Listing, input.text, streamWidths)
      return { kind: 'events', lines: linesOf(input, call), live: false, text }
    }
    const objects: Listing['Objects'][number][] = []
    let count = 0
    for (const path of input.paths) {
      const shown: Shown[] = []
      for await (const one of entriesOf(path, input, call)) {
        count += 1
        if (count > bufferedEntriesMax) {
          const detail = `more than ${bufferedEntriesMax} entries: request them with stream=true`
          throw new Fault('command_failed', { detail })
        }
        shown.push(one)
      }
      objects.push({ Hash: path, Links: sortedByName(shown).map(({ link }) => link) })
    }
    const value: Listing = { Objects: objects }
    return { kind: 'object', value, text: () => listText(value, input.text, null) }
  },
}

async function* linesOf(input: LsInput, call: CommandCall) {
  for (const path of input.paths) {
    for await (const { link } of entriesOf(path, input, call)) {
      yield { Objects: [{ Hash: path, Links: [link] }] } satisfies Listing
    }
  }
}

async function* entriesOf(path: string, input: LsInput, call: CommandCall): AsyncGenerator<Shown> {
  const { files, signal } = call
  const cid = await files.resolve(path, input.patience, signal)
  for await (const entry of files.list(cid, input.patience, signal)) {
    yield { name: entry.name, link: await linkOf(entry, input, call) }
  }
}

async function linkOf(
  entry: DirectoryEntry,
  input: LsInput,
  call: CommandCall,
): Promise<ListedLink> {
  const { name, cid } = entry
  const head = { Name: name, Hash: input.print(cid) }
  const unset = { Target: '', Mode: 0, ModTime: noTime }
  // A raw block is a file of its own size, so its block need not be read.
  if (cid.code === rawCodec) return { ...head, Size: entry.size, Type: types.file, ...unset }
  if (cid.code !== dagPbCodec || !input.resolving) return { ...head, Size: 0, Type: 0, ...unset }
  const stat = await call.files.stat(cid, input.patience, call.signal)
  const { kind, size, target, mode } = stat
  return {
    ...head,
    Size: size,
    Type: types[kind],
    Target: target,
    Mode: mode ?? 0,
    ModTime: timeOf(stat.mtime),
  }
}

/** RFC 3339 in UTC, with the necessary number of fractional digits. */
function timeOf(mtime: NodeStat['mtime']): string {
  if (mtime === null || mtime.seconds > secondsMax || mtime.seconds < -62_135_596_800n)
    return noTime
  const dateTime = new Date(Number(mtime.seconds) * 1000).toISOString().slice(0, -5)
  const fraction = String(mtime.nanos).padStart(9, '0').replace(/0+$/, '')
  return `${dateTime}${fraction === '' ? '' : `.${fraction}`}Z`
}

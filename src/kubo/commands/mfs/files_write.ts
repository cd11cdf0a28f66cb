// `files/write`: writes into a file of the account's file tree at an offset; only changed blocks are rewritten. A body of up to 2
// MiB is read first, so that the write can be repeated on a newer tree.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts, test/files/mfs-kubo.test.ts
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { createBodyReader } from '../../../ipfs/mfs/body-reader.ts'
import type { CidFormat } from '../../../ipfs/mfs/cid-format.ts'
import { makeWritten, type MfsWrite, type Written } from '../../../ipfs/mfs/mfs-changes.ts'
import { checkMfsPath, segmentsOf } from '../../../ipfs/mfs/mfs-path.ts'
import type { MfsTree } from '../../../ipfs/mfs/tree.ts'
import { overtaken } from '../../../ipfs/mfs/mfs.ts'
import {
  type CommandCall,
  type KuboCommand,
  emptyReply,
  failed,
  flag,
  integer,
  valueOf,
} from '../../kubo-command.ts'
import {
  type MfsInput,
  flush,
  formatIn,
  formatOfProfile,
  formatOptions,
  mfsCall,
  mfsInput,
} from '../../params/mfs-options.ts'
import { mtimeOf } from './files_touch.ts'

type FilesWriteInput = MfsInput &
  Omit<MfsWrite, 'body' | 'now'> & {
    readonly path: string
    readonly entries: AsyncIterable<UploadEntry>
    /** Null: the whole body. */
    readonly count: bigint | null
    readonly format: CidFormat
  }

const declared = {
  offset: integer('offset', { type: 'int64', alias: 'o' }),
  create: flag('create', { alias: 'e' }),
  parents: flag('parents', { alias: 'p' }),
  truncate: flag('truncate', { alias: 't' }),
  count: integer('count', { type: 'int64', alias: 'n', default: null }),
  rawLeaves: flag('raw-leaves', { default: null }),
  ...formatOptions,
  flush,
}

const smallBytes = 2 * 1024 * 1024

export function createFilesWrite(clock: Clock): KuboCommand<FilesWriteInput> {
  return {
    name: 'files/write',
    class: 'write',
    argument: { name: 'path', required: true },
    file: 'data',
    body: 'entries',
    options: Object.values(declared),
    parse({ args, options, entries }, profile) {
      if (entries === null) {
        throw new Fault('bad_argument', { detail: "file argument 'data' is required" })
      }
      const offset = valueOf(options, declared.offset)
      const count = valueOf(options, declared.count)
      if (offset < 0n) throw failed('cannot have negative write offset')
      if (count !== null && count < 0n) throw failed('cannot have negative byte count')
      return {
        path: checkMfsPath(args[0] ?? ''),
        entries,
        offset,
        count,
        create: valueOf(options, declared.create),
        parents: valueOf(options, declared.parents),
        truncate: valueOf(options, declared.truncate),
        rawLeaves: valueOf(options, declared.rawLeaves) ?? (profile.rawLeaves ? true : null),
        chunkBytes: profile.chunkBytes,
        format: formatIn(options) ?? formatOfProfile(profile),
        ...mfsInput(options, profile),
      }
    },
    async run(input, call) {
      await write(input, call, clock)
      return emptyReply()
    },
  }
}

async function write(input: FilesWriteInput, call: CommandCall, clock: Clock): Promise<void> {
  const { mfs } = call.files
  const pieces = contentOf(input.entries)
  const { head, ended } = await readHead(pieces)
  const writeOf = (body: AsyncIterable<Uint8Array>): MfsWrite => ({
    ...input,
    body: createBodyReader(body, input.count),
    now: mtimeOf(clock),
  })
  if (ended) {
    await mfs.change(mfsCall(input, call), {
      work: async (tree) => {
        const { entry } = await makeWritten(tree, input.path, writeOf(inOrder(head)))
        await tree.set(segmentsOf(input.path), entry)
      },
    })
    return
  }
  await mfs.change(mfsCall(input, call), {
    prepare: (tree) => makeWritten(tree, input.path, writeOf(joined(head, pieces))),
    work: (tree, written) => putWritten(tree, input, written),
  })
}

/** Refuses the write if another request changed the file while the body arrived. */
async function putWritten(
  tree: MfsTree,
  { path, parents, format }: FilesWriteInput,
  written: Written | null,
): Promise<void> {
  if (written === null) return
  const segments = segmentsOf(path)
  if (parents) await tree.makeDirectories(segments.slice(0, -1), format)
  const found = await tree.find(segments)
  const isSame = found === null ? written.base === null : written.base?.equals(found.cid) === true
  if (!isSame) throw overtaken()
  await tree.set(segments, written.entry)
}

/** The first file of the body. */
async function* contentOf(entries: AsyncIterable<UploadEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    if (entry.kind !== 'file') throw failed('expected a regular file')
    for await (const piece of entry.content) yield Uint8Array.from(piece)
    return
  }
  throw new Fault('bad_argument', { detail: "file argument 'data' is required" })
}

async function readHead(pieces: AsyncGenerator<Uint8Array>) {
  const head: Uint8Array[] = []
  let bytes = 0
  while (bytes <= smallBytes) {
    const step = await pieces.next()
    if (step.done === true) return { head, ended: true }
    head.push(step.value)
    bytes += step.value.length
  }
  return { head, ended: false }
}

async function* inOrder(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

async function* joined(
  head: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head
  yield* rest
}

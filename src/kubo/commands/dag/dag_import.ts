// `dag/import`: stores the blocks of CAR files and pins their roots.
// Tested by src/kubo/commands/dag/cars.test.ts
import { Fault } from '../../../base/fault.ts'
import { pinProvideOf } from '../../../base/provide.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { type BlockSize, allowBigBlock, blockSizeOf } from '../../params/file-options.ts'

type DagImportInput = {
  readonly entries: AsyncIterable<UploadEntry>
  readonly pinRoots: boolean
  readonly stats: boolean
  readonly size: BlockSize
}

const declared = {
  pinRoots: flag('pin-roots', { default: true }),
  stats: flag('stats'),
  allowBigBlock,
}

export const dagImport: KuboCommand<DagImportInput> = {
  name: 'dag/import',
  class: 'write',
  argument: { name: 'path', required: true },
  body: 'entries',
  options: Object.values(declared),
  parse({ options, entries }) {
    if (entries === null) {
      throw new Fault('bad_argument', { detail: "file argument 'path' is required" })
    }
    return {
      entries,
      pinRoots: valueOf(options, declared.pinRoots),
      stats: valueOf(options, declared.stats),
      size: blockSizeOf(options),
    }
  },
  async run(input, call) {
    return { kind: 'events', lines: linesOf(input, call), live: false, text: asText }
  },
}

type Line =
  | { readonly Root: { readonly Cid: { readonly '/': string }; readonly PinErrorMsg: string } }
  | { readonly Stats: { readonly BlockCount: number; readonly BlockBytesCount: number | bigint } }

function asText(value: unknown): string {
  const line = value as Line
  if ('Stats' in line) {
    return `Imported ${line.Stats.BlockCount} blocks (${line.Stats.BlockBytesCount} bytes)\n`
  }
  const { Cid, PinErrorMsg: error } = line.Root
  return `Pinned root\t${Cid['/']}\t${error === '' ? 'success' : `FAILED: ${error}`}\n`
}

async function* linesOf({ entries, pinRoots, stats, size }: DagImportInput, call: CommandCall) {
  const options = { pinRoots, blockBytesMax: size.bytesMax, tooBig: size.tooBig }
  const events = call.files.importCars(filesOf(entries), options, {
    accountId: call.caller.accountId,
    keyId: call.caller.keyId,
    provide: pinProvideOf(call.caller.settings.provide, null),
    proceed: () => call.connected(),
    signal: call.signal,
  })
  for await (const event of events) {
    if (event.kind === 'root') {
      yield {
        Root: { Cid: { '/': event.cid.toString() }, PinErrorMsg: event.error },
      } satisfies Line
    } else if (stats) {
      yield { Stats: { BlockCount: event.blocks, BlockBytesCount: event.bytes } } satisfies Line
    }
  }
}

async function* filesOf(
  entries: AsyncIterable<UploadEntry>,
): AsyncGenerator<AsyncIterable<Uint8Array>> {
  for await (const entry of entries) {
    if (entry.kind !== 'file') {
      throw new Fault('command_failed', { detail: 'expected a file handle' })
    }
    yield entry.content
  }
}

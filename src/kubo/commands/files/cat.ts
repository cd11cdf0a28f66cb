// `cat`: the bytes of one or more files, one after another, from `offset` on.
// Tested by src/kubo/commands/index.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type CommandCall, type KuboCommand, flag, integer, valueOf } from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type CatInput = {
  readonly paths: readonly string[]
  readonly offset: bigint
  /** Null: to the end. */
  readonly length: bigint | null
  readonly patience: FetchPolicy
}

type Opened = Awaited<ReturnType<CommandCall['files']['open']>>
type Stretch = { readonly cid: CID; readonly offset: bigint; readonly length: bigint }

const declared = {
  offset: integer('offset', { type: 'int64', alias: 'o' }),
  length: integer('length', { type: 'int64', alias: 'l', default: null }),
  progress: flag('progress', { alias: 'p' }),
}

export const cat: KuboCommand<CatInput> = {
  name: 'cat',
  class: 'read',
  argument: { name: 'ipfs-path', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    const offset = valueOf(options, declared.offset)
    if (offset < 0n) throw new Fault('command_failed', { detail: 'cannot specify negative offset' })
    const length = valueOf(options, declared.length)
    if (length !== null && length < 0n) {
      throw new Fault('command_failed', { detail: 'cannot specify negative length' })
    }
    return { paths: args, offset, length, patience: fetchPolicyOf(options) }
  },
  async run(input, call) {
    const { paths, offset, length, patience } = input
    if (length === 0n) return { kind: 'bytes', chunks: inOrder([], input, call), length: 0n }
    if (paths.length === 1) {
      const cid = await call.files.resolve(paths[0] as string, patience, call.signal)
      const opened = await call.files.open(cid, { offset, length }, patience, call.signal)
      const rest = opened.size > offset ? opened.size - offset : 0n
      return { kind: 'bytes', chunks: opened.chunks, length: least(rest, length) }
    }
    const stretches = await plan(input, call)
    const total = stretches.reduce((sum, stretch) => sum + stretch.length, 0n)
    return { kind: 'bytes', chunks: inOrder(stretches, input, call), length: total }
  },
}

/** The range of each file; all files are resolved and sized before the first byte is sent. */
async function plan(input: CatInput, { files, signal }: CommandCall): Promise<readonly Stretch[]> {
  const stretches: Stretch[] = []
  let { offset, length } = input
  for (const path of input.paths) {
    const cid = await files.resolve(path, input.patience, signal)
    const size = await files.size(cid, input.patience, signal)
    if (offset >= size) {
      offset -= size
      continue
    }
    const taken = least(size - offset, length)
    if (taken > 0n) stretches.push({ cid, offset, length: taken })
    offset = 0n
    if (length !== null) length -= taken
  }
  return stretches
}

async function* inOrder(
  stretches: readonly Stretch[],
  { patience }: CatInput,
  { files, signal }: CommandCall,
): AsyncGenerator<Uint8Array> {
  for (const { cid, offset, length } of stretches) {
    const { chunks }: Opened = await files.open(cid, { offset, length }, patience, signal)
    yield* chunks
  }
}

function least(bytes: bigint, limit: bigint | null): bigint {
  return limit !== null && limit < bytes ? limit : bytes
}

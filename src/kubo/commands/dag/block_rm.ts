// `block/rm`: removes blocks that the account uploaded and did not pin.
// Tested by src/kubo/commands/dag/block-rm.test.ts
import type { CID } from 'multiformats/cid'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'

type BlockRmInput = {
  readonly paths: readonly string[]
  /** Missing blocks are not an error. */
  readonly force: boolean
  /** Report only errors. */
  readonly quiet: boolean
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

const declared = {
  force: flag('force', { alias: 'f' }),
  quiet: flag('quiet', { alias: 'q' }),
}

export const blockRm: KuboCommand<BlockRmInput> = {
  name: 'block/rm',
  class: 'write',
  argument: { name: 'cid', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    return {
      paths: args,
      force: valueOf(options, declared.force),
      quiet: valueOf(options, declared.quiet),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run(input, call) {
    return { kind: 'events', lines: linesOf(input, call), live: false, text: asText }
  },
}

type Removed = { readonly Hash: string; readonly Error?: string }

function asText(line: unknown): string {
  const { Hash, Error: error } = line as Removed
  return error === undefined ? `removed ${Hash}\n` : `cannot remove ${Hash}: ${error}\n`
}

async function* linesOf(input: BlockRmInput, { caller, files, signal }: CommandCall) {
  for (const path of input.paths) {
    const cid = await files.resolve(path, input.patience, signal)
    const error = await files.removeBlock(caller.accountId, cid, input.force, signal)
    if (error !== null) yield { Hash: input.print(cid), Error: error } satisfies Removed
    else if (!input.quiet) yield { Hash: input.print(cid) } satisfies Removed
  }
}

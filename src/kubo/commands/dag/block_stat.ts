// `block/stat`: the CID that a path resolves to, and the size of its block.
// Tested by src/kubo/commands/dag/blocks.test.ts
import type { FetchPolicy } from '../../../ipfs/files.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type BlockStatInput = {
  readonly path: string
  readonly patience: FetchPolicy
}

export const blockStat: KuboCommand<BlockStatInput> = {
  name: 'block/stat',
  class: 'read',
  argument: { name: 'cid', required: true },
  body: 'lines',
  options: [],
  parse({ args, options }) {
    return { path: args[0] ?? '', patience: fetchPolicyOf(options) }
  },
  async run({ path, patience }, { files, signal }) {
    const cid = await files.resolve(path, patience, signal)
    const { length } = await files.block(cid, patience, signal)
    const value = { Key: cid.toString(), Size: length }
    return { kind: 'object', value, text: () => `Key: ${value.Key}\nSize: ${length}\n` }
  },
}

// `block/get`: one stored block.
// Tested by src/kubo/commands/dag/blocks.test.ts
import type { FetchPolicy } from '../../../ipfs/files.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type BlockGetInput = { readonly path: string; readonly patience: FetchPolicy }

export const blockGet: KuboCommand<BlockGetInput> = {
  name: 'block/get',
  class: 'read',
  argument: { name: 'cid', required: true },
  body: 'lines',
  options: [],
  parse({ args, options }) {
    return { path: args[0] ?? '', patience: fetchPolicyOf(options) }
  },
  async run({ path, patience }, { files, signal }) {
    const cid = await files.resolve(path, patience, signal)
    const bytes = await files.block(cid, patience, signal)
    return {
      kind: 'bytes',
      chunks: oneChunk(bytes),
      length: BigInt(bytes.length),
      type: 'application/vnd.ipld.raw',
    }
  },
}

export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

// `dag/get`: a node, or the value at a path inside it, as dag-json or another codec; in the node's own codec the unchanged block.
// Tested by src/kubo/commands/dag/dag.test.ts
import { dagJsonCodec, findCodec } from '../../../codec/ipld/cid.ts'
import { encodeIpld } from '../../../codec/ipld/ipld.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { nodeAt } from '../../../ipfs/read/resolve.ts'
import { type KuboCommand, failed, text, valueOf } from '../../kubo-command.ts'
import { oneChunk } from './block_get.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type DagGetInput = {
  readonly path: string
  readonly codec: number
  readonly patience: FetchPolicy
}

const declared = {
  outputCodec: text('output-codec', { default: 'dag-json' }),
}

export const dagGet: KuboCommand<DagGetInput> = {
  name: 'dag/get',
  class: 'read',
  argument: { name: 'ref', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    const codecName = valueOf(options, declared.outputCodec)
    const codec = findCodec(codecName)
    if (codec === null) throw failed(`unknown multicodec: ${JSON.stringify(codecName)}`)
    return { path: args[0] ?? '', codec, patience: fetchPolicyOf(options) }
  },
  async run({ path, codec, patience }, { files, signal }) {
    const found = await files.resolveNode(path, patience, signal)
    const block = await files.block(found.cid, patience, signal)
    // dag-json is always re-encoded: its keys must be sorted, whatever their order in the block.
    if (codec !== dagJsonCodec && codec === found.cid.code && found.rest.length === 0) {
      return { kind: 'bytes', chunks: oneChunk(block), length: null }
    }
    const written = encodeIpld(codec, nodeAt(found, block))
    return { kind: 'bytes', chunks: oneChunk(written), length: null }
  },
}

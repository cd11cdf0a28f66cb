// `dag/resolve`: the last block on a path, and the remaining path inside it. The base of the CID is never converted.
// Tested by src/kubo/commands/dag/dag.test.ts
import type { FetchPolicy } from '../../../ipfs/files.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type DagResolveInput = { readonly path: string; readonly patience: FetchPolicy }

export const dagResolve: KuboCommand<DagResolveInput> = {
  name: 'dag/resolve',
  class: 'read',
  argument: { name: 'ref', required: true },
  body: 'lines',
  options: [],
  parse({ args, options }) {
    return { path: args[0] ?? '', patience: fetchPolicyOf(options) }
  },
  async run({ path, patience }, { files, signal }) {
    const { cid, rest } = await files.resolveNode(path, patience, signal)
    const remainder = rest.map((segment) => `/${segment}`).join('')
    const value = { Cid: { '/': cid.toString() }, RemPath: remainder }
    return { kind: 'object', value, text: () => cid.toString() + remainder }
  },
}

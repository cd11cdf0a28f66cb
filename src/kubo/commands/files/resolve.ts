// `resolve`: resolves a content path to its CID. IPNS names are not resolved.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { CID } from 'multiformats/cid'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'

type ResolveInput = {
  readonly path: string
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

export const resolve: KuboCommand<ResolveInput> = {
  name: 'resolve',
  class: 'read',
  argument: { name: 'name', required: true },
  body: 'lines',
  options: [],
  parse: ({ args, options }) => ({
    path: args[0] ?? '',
    patience: fetchPolicyOf(options),
    print: cidPrinter(options),
  }),
  async run({ path, patience, print }, { files, signal }) {
    const { cid, rest } = await files.resolveNode(path, patience, signal)
    const resolved = ['/ipfs', print(cid), ...rest].join('/')
    return { kind: 'object', value: { Path: resolved }, text: () => `${resolved}\n` }
  },
}

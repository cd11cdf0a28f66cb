// `pin/rm`: removes the account's own pins. Content remains stored while other references to it exist.
// Tested by src/kubo/commands/index.test.ts
import type { CID } from 'multiformats/cid'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'

type PinRmInput = {
  readonly paths: readonly string[]
  readonly recursive: boolean
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

const declared = {
  recursive: flag('recursive', { alias: 'r', default: true }),
}

export const pinRm: KuboCommand<PinRmInput> = {
  name: 'pin/rm',
  class: 'write',
  argument: { name: 'ipfs-path', required: true },
  body: 'lines',
  options: Object.values(declared),
  parse({ args, options }) {
    return {
      paths: args,
      recursive: valueOf(options, declared.recursive),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run({ paths, recursive, patience, print }, { caller, files, signal }) {
    const removed: string[] = []
    for (const path of paths) {
      const cid = await files.resolve(path, patience, signal)
      await files.unpin(caller.accountId, cid, recursive)
      removed.push(print(cid))
    }
    const text = () => removed.map((pin) => `unpinned ${pin}\n`).join('')
    return { kind: 'object', value: { Pins: removed }, text }
  },
}

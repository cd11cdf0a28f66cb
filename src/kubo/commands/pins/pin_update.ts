// `pin/update`: moves the account's own recursive pin, with its name, from one root to another.
// Tested by src/kubo/commands/dag/blocks.test.ts
import type { CID } from 'multiformats/cid'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { cidPrinter, fetchPolicyOf } from '../../params/file-options.ts'

type PinUpdateInput = {
  readonly from: string
  readonly to: string
  readonly unpin: boolean
  readonly patience: FetchPolicy
  readonly print: (cid: CID) => string
}

const declared = {
  unpin: flag('unpin', { default: true }),
}

export const pinUpdate: KuboCommand<PinUpdateInput> = {
  name: 'pin/update',
  class: 'write',
  stores: true,
  argument: { name: 'from-path', required: true },
  second: 'to-path',
  body: 'none',
  options: Object.values(declared),
  parse({ args, options }) {
    return {
      from: args[0] ?? '',
      to: args[1] ?? '',
      unpin: valueOf(options, declared.unpin),
      patience: fetchPolicyOf(options),
      print: cidPrinter(options),
    }
  },
  async run({ from, to, unpin, patience, print }, { caller, files, signal }) {
    const pins = {
      from: await files.resolve(from, patience, signal),
      to: await files.resolve(to, patience, signal),
      unpin,
      keyId: caller.keyId,
    }
    await files.movePin(caller.accountId, pins, patience, signal)
    const moved = [print(pins.from), print(pins.to)]
    const text = () => `updated ${moved.join(' to ')}\n`
    return { kind: 'object', value: { Pins: moved }, text }
  },
}

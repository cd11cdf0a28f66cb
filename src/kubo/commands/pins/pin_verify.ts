// `pin/verify`: reads all blocks below the account's recursive pins and reports missing and corrupt ones.
// Tested by src/kubo/commands/pins/pin-walks.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../../base/fault.ts'
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { cidPrinter } from '../../params/file-options.ts'

type PinVerifyInput = {
  /** Report complete pins, too. */
  readonly verbose: boolean
  readonly print: (cid: CID) => string
}

const declared = {
  verbose: flag('verbose'),
  quiet: flag('quiet', { alias: 'q' }),
}

export const pinVerify: KuboCommand<PinVerifyInput> = {
  name: 'pin/verify',
  class: 'read',
  argument: null,
  body: 'none',
  options: Object.values(declared),
  parse({ options }) {
    const verbose = valueOf(options, declared.verbose)
    if (verbose && valueOf(options, declared.quiet)) {
      const detail = 'the --verbose and --quiet options can not be used at the same time'
      throw new Fault('command_failed', { detail })
    }
    return { verbose, print: cidPrinter(options) }
  },
  async run(input, call) {
    return { kind: 'events', lines: linesOf(input, call), live: false, text: asText }
  },
}

type Line = {
  readonly Cid: string
  readonly Ok?: true
  readonly BadNodes?: readonly { readonly Cid: string; readonly Err: string }[]
}

function asText(line: unknown): string {
  const { Cid, BadNodes: bad } = line as Line
  if (bad === undefined) return `${Cid} ok\n`
  return `${Cid} broken\n${bad.map((one) => `  ${one.Cid}: ${one.Err}\n`).join('')}`
}

async function* linesOf(
  { verbose, print }: PinVerifyInput,
  { caller, files, signal }: CommandCall,
) {
  for await (const { cid, lost } of files.verifyPins(caller.accountId, signal)) {
    if (lost.length === 0) {
      if (verbose) yield { Cid: print(cid), Ok: true } satisfies Line
      continue
    }
    const bad = lost.map((one) => ({ Cid: print(one.cid), Err: one.reason }))
    yield { Cid: print(cid), BadNodes: bad } satisfies Line
  }
}

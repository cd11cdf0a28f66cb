// Options that several commands on file trees share: the form of new CIDs, and `flush`, which has no effect: each change is durable
// when its command ends.
// Tested by src/kubo/commands/mfs/mfs-commands.test.ts
import { Fault, type FaultCode } from '../../base/fault.ts'
import type { ImportProfile } from '../../codec/ipld/import-profile.ts'
import { hashNames, sha256Code } from '../../codec/ipld/multihash.ts'
import type { MfsCall } from '../../ipfs/files.ts'
import type { CidFormat } from '../../ipfs/mfs/cid-format.ts'
import {
  type CommandCall,
  type OptionValues,
  failed,
  flag,
  integer,
  text,
  valueOf,
} from '../kubo-command.ts'
import { fetchPolicyOf } from './file-options.ts'

export const flush = flag('flush', { alias: 'f', default: true })

export const formatOptions = {
  cidVersion: integer('cid-version', { alias: 'cid-ver', default: null }),
  hash: text('hash'),
}

/** Null: the request sets none of the options. Throws `command_failed` with Kubo's texts. */
export function formatIn(options: OptionValues): CidFormat | null {
  const name = options.get(formatOptions.hash.name) as string | undefined
  const requested = valueOf(options, formatOptions.cidVersion)
  if (name === undefined && requested === null) return null
  const version = name !== undefined && (requested ?? 0n) === 0n ? 1n : (requested ?? 0n)
  if (version !== 0n && version !== 1n) throw failed(`unknown CID version: ${version}`)
  if (name === undefined) return { version: version === 0n ? 0 : 1, hashCode: sha256Code }
  const hashCode = hashNames.get(name.toLowerCase())
  if (hashCode === undefined) {
    throw failed(`unrecognized hash function: ${JSON.stringify(name)}`)
  }
  return { version: 1, hashCode }
}

/** The form of new nodes if the request does not set the options. */
export function formatOfProfile({ cidVersion }: ImportProfile): CidFormat {
  return { version: cidVersion, hashCode: sha256Code }
}

/** Members of the input of every command on the tree. */
export type MfsInput = Pick<MfsCall, 'profile' | 'patience'>

export function mfsInput(options: OptionValues, profile: ImportProfile): MfsInput {
  return { profile, patience: fetchPolicyOf(options) }
}

/** The call to the file tree for a command. */
export function mfsCall({ profile, patience }: MfsInput, call: CommandCall): MfsCall {
  return {
    accountId: call.caller.accountId,
    profile,
    patience,
    proceed: () => call.connected(),
    signal: call.signal,
  }
}

/** As in Kubo, prefixes the text of a failure with one of these codes with the step. Other failures are unchanged. */
export async function withStep<Result>(
  step: string,
  work: () => Result | Promise<Result>,
  codes: readonly FaultCode[] = ['command_failed'],
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !codes.includes(thrown.code)) throw thrown
    throw new Fault(thrown.code, { detail: `${step}: ${thrown.message}`, cause: thrown })
  }
}

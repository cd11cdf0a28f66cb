// Options of commands on IPNS names and keys: the base of names, durations, and the file of a record.
// Tested by src/kubo/commands/names/names.test.ts
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { Fault } from '../../base/fault.ts'
import { cidOf, findMultibase, flatText } from '../../codec/ipld/cid.ts'
import { type IpnsName, libp2pKeyCodec } from '../../codec/ipld/ipns-name.ts'
import { ipnsRecordBytesMax } from '../../codec/ipld/ipns-record.ts'
import type { IpnsKeystore } from '../../ipfs/names/ipns-keystore.ts'
import type { Names } from '../../ipfs/names/names.ts'
import type { UploadEntry } from '../../ipfs/import/upload-entry.ts'
import { parseGoDuration } from '../command-line.ts'
import { type OptionValues, failed, flag, text, valueOf } from '../kubo-command.ts'
import { globalOptions } from '../kubo-commands.ts'
import { readAtMost } from './file-options.ts'

/** Dependencies of commands on names. `keys` null: the operator has not allowed Cairn to store keys. */
export type NameCommandDeps = { readonly names: Names; readonly keys: () => IpnsKeystore | null }

export const ipnsBase = text('ipns-base', { default: 'base36' })

/** As in Kubo: `b58mh` is the bare multihash. Throws `command_failed` for an unknown base. */
export function namePrinter(options: OptionValues): (name: IpnsName) => string {
  const base = valueOf(options, ipnsBase)
  if (base === 'b58mh') return ({ multihash }) => flatText(base58btc.baseEncode(multihash))
  const encoder = base === '' ? base36 : findMultibase(base)
  if (encoder === null) throw failed(`unknown multibase: ${base}`)
  return ({ multihash }) => flatText(cidOf(1, libp2pKeyCodec, multihash).toString(encoder))
}

/** Milliseconds; null: the option is not set. Throws `command_failed` with Go's text. */
export function durationOf(options: OptionValues, name: string): number | null {
  const value = options.get(name)
  if (typeof value !== 'string') return null
  const ms = parseGoDuration(value)
  if (ms === null) throw failed(`time: invalid duration ${JSON.stringify(value)}`)
  return Number(ms)
}

/** Options of commands that publish a record. */
export const publishOptions = {
  allowOffline: flag('allow-offline'),
  allowDelegated: flag('allow-delegated'),
}

/** Whether the record is stored without publishing it. Throws `command_failed` with Kubo's text. */
export function isOffline(options: OptionValues): boolean {
  const allowOffline = valueOf(options, publishOptions.allowOffline)
  if (allowOffline && valueOf(options, publishOptions.allowDelegated)) {
    throw failed('cannot use both --allow-offline and --allow-delegated flags')
  }
  return valueOf(options, globalOptions.offline) || allowOffline
}

/** Reads the record from the body. Throws `command_failed` if it is too large. */
export async function readRecord(entries: AsyncIterable<UploadEntry> | null): Promise<Uint8Array> {
  const tooBig = `record exceeds maximum size of ${ipnsRecordBytesMax} bytes`
  return await readOneFile(entries, 'record', { bytesMax: ipnsRecordBytesMax, tooBig })
}

/** The first file of the body. `what`: Kubo's name of the argument. Throws `command_failed` over `bytesMax`. */
export async function readOneFile(
  entries: AsyncIterable<UploadEntry> | null,
  what: string,
  { bytesMax, tooBig }: { readonly bytesMax: number; readonly tooBig: string },
): Promise<Uint8Array> {
  for await (const entry of entries ?? []) {
    if (entry.kind === 'file') return await readAtMost(entry.content, { bytesMax, tooBig })
  }
  throw new Fault('bad_argument', { detail: `file argument '${what}' is required` })
}

export function keystoreOf({ keys }: NameCommandDeps): IpnsKeystore {
  const held = keys()
  if (held !== null) return held
  throw failed('this server holds no keys: the operator has not set ipns.keys')
}

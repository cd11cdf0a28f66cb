// Options that several file commands share: timeouts, the form of CIDs, and the maximum size of a block that a client may store: 2
// MiB, the limit of other peers, or 4 MiB with `allow-big-block`.
// Tested by src/kubo/commands/dag/blocks.test.ts
import { base32 } from 'multiformats/bases/base32'
import { base58btc } from 'multiformats/bases/base58'
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { findMultibase, flatText } from '../../codec/ipld/cid.ts'
import type { FetchPolicy } from '../../ipfs/files.ts'
import { type CommandRequest, type OptionValues, flag, valueOf } from '../kubo-command.ts'
import { globalOptions } from '../kubo-commands.ts'

const timeoutMsMax = 2 ** 31 - 1

export function fetchPolicyOf(options: OptionValues): FetchPolicy {
  const timeout = options.get('timeout') as bigint | undefined
  return {
    offline: valueOf(options, globalOptions.offline),
    timeoutMs: timeout === undefined ? null : Math.min(Math.max(0, Number(timeout)), timeoutMsMax),
  }
}

/**
 * The form in which the client wants CIDs: v1 in `cid-base`, which also converts v0 to v1 unless it is base58btc or
 * `upgrade-cidv0-in-output` is false. Throws `command_failed` for an unknown base.
 */
export function cidPrinter(options: OptionValues): (cid: CID) => string {
  const name = valueOf(options, globalOptions.cidBase)
  const encoder = name === '' ? base32 : findMultibase(name)
  if (encoder === null) {
    throw new Fault('command_failed', { detail: `unsupported multibase encoding: ${name}` })
  }
  const lifts =
    valueOf(options, globalOptions.upgradeCidV0) ?? (name !== '' && encoder !== base58btc)
  return (cid) => {
    const shown = lifts && cid.version === 0 ? cid.toV1() : cid
    return flatText(shown.version === 0 ? shown.toString() : shown.toString(encoder))
  }
}

/** Throws `command_failed` for a pin name over 255 bytes. */
export function checkPinName(name: string): void {
  const bytes = Buffer.byteLength(name)
  if (bytes > 255) {
    throw new Fault('command_failed', { detail: `pin name is ${bytes} bytes (max 255 bytes)` })
  }
}

/** `tooBig`: the error message for a larger block. */
export type BlockSize = { readonly bytesMax: number; readonly tooBig: string }

const usual: BlockSize = {
  bytesMax: 2 * 1024 * 1024,
  tooBig:
    "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS for " +
    'automatic chunking of bigger files, or pass --allow-big-block to override',
}

const big: BlockSize = {
  bytesMax: 4 * 1024 * 1024,
  tooBig: 'produced block is over 4MiB: this server keeps no block that large',
}

/** For pins: false excludes them from the content that the account makes public, true includes them again. Specific to Cairn. */
export const provideOption = flag('provide', { default: null })

export const allowBigBlock = flag('allow-big-block')

export function blockSizeOf(options: CommandRequest['options']): BlockSize {
  return valueOf(options, allowBigBlock) ? big : usual
}

/** The whole `content`, at most `bytesMax` bytes. Throws `command_failed` `tooBig` past that. */
export async function readAtMost(
  content: AsyncIterable<Uint8Array>,
  { bytesMax, tooBig }: BlockSize,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Fault('command_failed', { detail: tooBig })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// The block from which an embedded chain is forked, and its notation in the settings. The first start resolves and records the
// block; every later start uses the recorded one.
// Tested by src/devchain/fork/fork-point.test.ts
import { equalBytes, fromHex, toHex } from '../../base/hex.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Statement } from '../../db/writer.ts'
import { findChainFork, insertChainFork } from '../../tables/chain.ts'

/** `source`: name of the forked network. `block`: a number, `latest`, `finalized`, or a block hash in `0x` hex. */
export type RequestedFork = { readonly source: string; readonly block: string }

/** `hash`, `stateRoot`: 32 bytes. Structured-clonable. */
export type ForkPoint = RequestedFork & {
  readonly number: bigint
  readonly hash: Uint8Array
  readonly stateRoot: Uint8Array
}

/** `text`: `<network>@<block>`, already validated by the settings. */
export function parseFork(text: string): RequestedFork {
  const at = text.indexOf('@')
  return { source: text.slice(0, at), block: text.slice(at + 1).toLowerCase() }
}

/** `mainnet@20000000` */
export function forkText({ source, number }: ForkPoint): string {
  return `${source}@${number}`
}

/** Number of the lowest block that the chain can rewind to: its genesis block, or the forked block. */
export function firstNumber(point: ForkPoint | null): bigint {
  return point === null ? 0n : point.number + 1n
}

/** The recorded fork of an embedded chain; null: it is not a fork, or there is no chain. */
export function readFork(database: Database, network: string): ForkPoint | null {
  const row = findChainFork(database, network)
  if (row === null) return null
  const { source, asked, number, hash, state_root: stateRoot } = row
  return { source, block: asked, number: BigInt(number), hash, stateRoot }
}

export function forkRow(network: string, point: ForkPoint): Statement {
  return insertChainFork(network, { ...point, asked: point.block })
}

/**
 * Why the settings do not match the recorded fork, as a sentence for the operator; null: they match. `requested` null: the
 * settings name no fork.
 */
export function forkMismatch(
  network: string,
  point: ForkPoint,
  requested: RequestedFork | null,
): string | null {
  if (
    requested !== null &&
    requested.source === point.source &&
    isSameBlock(point, requested.block)
  ) {
    return null
  }
  const expected =
    requested === null ? 'name no fork' : `name ${requested.source}@${requested.block}`
  return (
    `network "${network}" of the data folder is forked from ${point.source} at block ${point.number} ` +
    `(${toHex(point.hash)}), and the settings ${expected}: set fork: ${forkText(point)}, or choose another folder ` +
    'with --data-dir to start a new fork'
  )
}

function isSameBlock(point: ForkPoint, block: string): boolean {
  if (block === point.block) return true
  if (/^0x[0-9a-f]{64}$/.test(block)) return equalBytes(fromHex(block), point.hash)
  return /^\d+$/.test(block) && BigInt(block) === point.number
}

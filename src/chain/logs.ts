// Logs of proved blocks: the header's bloom excludes blocks, and the proved receipts contain the logs. A search follows parent
// hashes from the newest block of the range down, so its result is complete by construction.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import { type BloomBits, bloomBits, mayHold } from '../codec/ethereum/bloom.ts'
import { decodeEntries } from '../codec/ethereum/list.ts'
import type { Log } from '../codec/ethereum/receipt.ts'
import { transactionHash } from '../codec/ethereum/transaction.ts'
import { getHeader, type ProvedHeader, readReceiptList, readTransactionList } from './blocks.ts'
import { type LogObject, renderLog } from './log-object.ts'
import type { Network } from './network.ts'
import { placeReceipts } from './receipt-object.ts'
import { locationIn } from './transactions.ts'
import { completeRead } from './read.ts'

/** `addresses` empty: any. `topics` by position: null matches any topic, a list any of its members. 20 and 32 bytes. */
export type LogFilter = {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[] | null)[]
}

/** Block numbers, both ends included; null: no bound. */
export type LogBounds = { readonly first: bigint | null; readonly last: bigint | null }

export function isWithin({ first, last }: LogBounds, number: bigint): boolean {
  return (first === null || number >= first) && (last === null || number <= last)
}

/** `newest` and its ancestors down to the number `oldest`. */
export type LogRange = { readonly newest: ProvedHeader; readonly oldest: bigint }

export type LogLimits = {
  readonly resultsMax: number
  /** Total data of all logs. The logs of a block are counted after they were read. */
  readonly dataBytesMax: number
  readonly timeMs: number
  readonly clock: Clock
}

/** The limit of other providers for eth_getLogs. */
export const logResultsMax = 10_000
export const logTimeMs = 10_000
/** A reply has twice as many characters, because the data is hex. */
export const logDataBytesMax = 16 * 1024 * 1024

/** Blocks whose receipts are fetched in parallel. */
const aheadMax = 8

/** A long search yields to other requests after this time (milliseconds). */
const sliceMs = 5

/** The matching logs of `block`, in order. Throws `pruned`, `unprovable`, `unverified`. */
export async function logsOfBlock(
  network: Network,
  block: ProvedHeader,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<readonly LogObject[]> {
  const matcher = createLogMatcher(filter)
  return matcher.mayMatch(block) ? await readMatching(network, block, matcher, signal) : []
}

/** A filter prepared for many blocks: its values are hashed once. */
export type LogMatcher = {
  /** False: the block's bloom proves that no log matches. */
  mayMatch(block: ProvedHeader): boolean
  matches(log: Log): boolean
}

export function createLogMatcher(filter: LogFilter): LogMatcher {
  const choices = choicesOf(filter)
  return {
    mayMatch: ({ header }) =>
      choices.every((choice) => choice.some((bits) => mayHold(header.logsBloom, bits))),
    matches: (log) => matches(log, filter),
  }
}

/** A log of a block, rendered. */
export type PlacedLog = { readonly log: Log; readonly object: LogObject }

/** The logs of `block` that match `matches`, in order. Throws like `logsOfBlock`. */
export async function readPlacedLogs(
  network: Network,
  block: ProvedHeader,
  matches: (log: Log) => boolean,
  signal: AbortSignal,
): Promise<readonly PlacedLog[]> {
  const [transactions, entries] = await Promise.all([
    completeRead(readTransactionList(network, block), signal).then(decodeEntries),
    completeRead(readReceiptList(network, block), signal).then(decodeEntries),
  ])
  if (transactions.length !== entries.length) throw new Fault('unverified')
  return placeReceipts(entries).flatMap(({ receipt, firstLogIndex }, index) => {
    const matching = receipt.logs.flatMap((log, at) => (matches(log) ? [{ log, at }] : []))
    if (matching.length === 0) return []
    const hash = transactionHash(transactions[index] as Uint8Array)
    const location = locationIn(block, index)
    return matching.map(({ log, at }) => ({
      log,
      object: renderLog(log, location, { transactionHash: hash, logIndex: firstLogIndex + at }),
    }))
  })
}

/**
 * The matching logs of a range, oldest first. Throws `over_range` past `resultsMax` logs or `timeMs`
 * milliseconds, `response_too_large` past `dataBytesMax`, and what `logsOfBlock` throws.
 */
export async function queryLogs(
  network: Network,
  { newest, oldest }: LogRange,
  filter: LogFilter,
  { resultsMax, dataBytesMax, timeMs, clock }: LogLimits,
  signal: AbortSignal,
): Promise<readonly LogObject[]> {
  const matcher = createLogMatcher(filter)
  const endsAt = clock.monotonic() + timeMs
  let sliceEndsAt = clock.monotonic() + sliceMs
  const newestFirst: (readonly LogObject[])[] = []
  /** Reads of the last blocks of the walk, newest first; they run while the walk continues. */
  const reading: Promise<readonly LogObject[]>[] = []
  let count = 0
  let dataBytes = 0

  async function take(left: number): Promise<void> {
    while (reading.length > left) {
      const logs = (await reading.shift()) ?? []
      if (logs.length > 0) newestFirst.push(logs)
      count += logs.length
      if (count > resultsMax) {
        throw new Fault('over_range', { detail: `query returned more than ${resultsMax} results` })
      }
      for (const { data } of logs) dataBytes += (data.length - 2) / 2
      if (dataBytes > dataBytesMax) throw new Fault('response_too_large')
    }
  }

  let block = newest
  while (block.header.number >= oldest) {
    if (matcher.mayMatch(block)) {
      const logs = readMatching(network, block, matcher, signal)
      // After another read failed, this promise has no consumer: avoid an unhandled rejection.
      logs.catch(() => {})
      reading.push(logs)
      await take(aheadMax)
    }
    if (block.header.number === oldest || block.header.number === 0n) break
    const now = clock.monotonic()
    if (now > endsAt) throw new Fault('over_range', { detail: 'query timeout exceeded' })
    if (now > sliceEndsAt) {
      await setImmediate()
      sliceEndsAt = clock.monotonic() + sliceMs
    }
    signal.throwIfAborted()
    block = await completeRead(getHeader(network, block.header.parentHash), signal)
  }
  await take(0)
  return newestFirst.toReversed().flat()
}

async function readMatching(
  network: Network,
  block: ProvedHeader,
  { matches }: LogMatcher,
  signal: AbortSignal,
): Promise<readonly LogObject[]> {
  const placed = await readPlacedLogs(network, block, matches, signal)
  return placed.map(({ object }) => object)
}

/** For each position, the values of which a block must contain at least one. Hashed once per search. */
function choicesOf({ addresses, topics }: LogFilter): readonly (readonly BloomBits[])[] {
  return [addresses, ...topics]
    .map((choice) => (choice ?? []).map(bloomBits))
    .filter((choice) => choice.length > 0)
}

function matches(log: Log, { addresses, topics }: LogFilter): boolean {
  const isOneOf = (value: Uint8Array | undefined, values: readonly Uint8Array[]) =>
    values.length === 0 ||
    (value !== undefined && values.some((allowed) => equalBytes(allowed, value)))
  return (
    isOneOf(log.address, addresses) &&
    topics.length <= log.topics.length &&
    topics.every((choice, at) => isOneOf(log.topics[at], choice ?? []))
  )
}

// Changes of the three kinds of filter: blocks, transactions that became ready, logs. A filter advances only by the changes that it
// returns, so no change is sent twice or skipped; the next poll returns the rest of a large answer. From its place to the head a
// filter follows parent hashes, so it handles reorgs as subscriptions do.
// Tested by src/rpc/filters/filter-changes.test.ts
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import type { ProvedHeader } from '../../chain/blocks.ts'
import { type ChainPoint, findReorgPath, parentOf } from '../../chain/reorg-path.ts'
import type { LogObject } from '../../chain/log-object.ts'
import {
  createLogMatcher,
  isWithin,
  logResultsMax,
  logTimeMs,
  readPlacedLogs,
} from '../../chain/logs.ts'
import type { ReadArrivals } from './arrivals.ts'
import { boundsOf } from './log-bounds.ts'
import { Revocable } from '../revocable.ts'
import type { RpcCall } from '../operation.ts'
import { latestBlock } from '../params/block-parameter.ts'
import type { LogQuery } from '../params/log-filter.ts'
import { completeRead } from '../../chain/read.ts'

const blocksMax = 1000
const transactionsMax = 10_000
/** Blocks of a reorg, in both branches together. */
const reorgBlocksMax = 4096
/** Characters of one answer. The logs of one block are never split. */
const charactersMax = 8 * 1024 * 1024
const charactersOfHash = 70
/** Size of a log without its data. */
const charactersOfLog = 600
/** A long range yields to other requests after this many blocks. */
const blocksPerSlice = 64

/** `to`: the place after these changes. */
type ChangesAfter = { readonly values: readonly unknown[]; readonly to: ChainPoint }

/** Hashes of the blocks that became canonical after `at`. `characters`: approximate size limit of the answer. */
export async function blocksAfter(
  call: RpcCall,
  at: ChainPoint,
  characters: number,
): Promise<ChangesAfter> {
  const most = Math.min(blocksMax, characters / charactersOfHash)
  const { to, entered } = await findStretch(call, at, Math.max(1, Math.floor(most)))
  // Parent links in proved headers connect these blocks.
  call.labels.level('proof')
  return { values: entered.map(({ hash }) => toHex(hash)), to }
}

/** Hashes of transactions that became ready for a block after `at`. Null: they belong to the pool of another process. */
export async function transactionsAfter(
  call: RpcCall,
  at: ChainPoint,
  characters: number,
  read: ReadArrivals,
): Promise<ChangesAfter | null> {
  const most = Math.min(transactionsMax, characters / charactersOfHash)
  const found = await read(call.network, at, Math.max(1, Math.floor(most)))
  if (found === 'dropped') throw new Fault('no_filter')
  if (found === 'elsewhere') return null
  call.labels.level(call.network.pool.level)
  return { values: found.hashes.map(toHex), to: found.to }
}

/**
 * Matching logs of the blocks that became canonical after `from`, within the query's range. For blocks that left the chain, the
 * same logs with `removed: true`, last first. Level `proof`.
 */
export async function logsAfter(
  call: RpcCall,
  from: ChainPoint,
  most: number,
  { query, clock }: { readonly query: LogQuery; readonly clock: Pick<Clock, 'monotonic'> },
): Promise<ChangesAfter> {
  const bounds = boundsOf(query.blocks)
  const matcher = createLogMatcher(query.filter)

  async function logsOf(block: ProvedHeader): Promise<readonly LogObject[]> {
    if (!isWithin(bounds, block.header.number) || !matcher.mayMatch(block)) return []
    const placed = await readPlacedLogs(call.network, block, matcher.matches, call.signal)
    return placed.map(({ object }) => object)
  }

  const endsAt = clock.monotonic() + logTimeMs
  const logs: LogObject[] = []
  let characters = 0
  let walked = 0
  const full = () =>
    logs.length >= logResultsMax || characters >= most || clock.monotonic() > endsAt
  const add = (found: readonly LogObject[]) => {
    for (const { data } of found) characters += charactersOfLog + data.length
    logs.push(...found)
  }
  const yieldSometimes = async () => {
    walked += 1
    if (walked % blocksPerSlice === 0) await setImmediate()
    call.signal.throwIfAborted()
  }
  let at = from
  for (let arrived = false; !arrived && !full();) {
    const stretch = await findStretch(call, at, blocksMax)
    for (const block of stretch.left) {
      if (full()) break
      await yieldSometimes()
      const found = await logsOf(block)
      add(found.toReversed().map((log) => ({ ...log, removed: true })))
      at = parentOf(block)
    }
    for (const block of stretch.entered) {
      if (full()) break
      await yieldSometimes()
      add(await logsOf(block))
      at = { hash: block.hash, number: block.header.number }
    }
    arrived = stretch.arrived
  }
  // An aborted poll delivers nothing, so the position does not advance.
  call.signal.throwIfAborted()
  call.labels.level('proof')
  return { values: logs, to: at }
}

/**
 * The path from `at` towards the head of this request, at most `blocksAhead` blocks forward. Throws `no_filter` if too many blocks
 * of it are on another branch.
 */
async function findStretch(call: RpcCall, at: ChainPoint, blocksAhead: number) {
  const { network, signal } = call
  const latest = await completeRead(call.resolve(latestBlock), call.signal)
  const far = latest.number - at.number > blocksAhead
  const to = far
    ? ((await completeRead(network.head.byNumber(at.number + BigInt(blocksAhead)), signal)) ??
      latest)
    : latest
  try {
    const path = await findReorgPath(
      network,
      { from: at, to },
      blocksAhead + reorgBlocksMax,
      signal,
    )
    return { ...path, to, arrived: to.number === latest.number }
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'over_range') throw thrown
    throw new Fault('no_filter', { cause: thrown })
  }
}

/** Size limit of the next answer. Shrinks after an answer that could not be sent, as that may have been too large. */
export type AnswerSizeLimit = {
  characters(): number
  accept(values: readonly unknown[], back: () => void): Revocable<readonly unknown[]>
}

export function createAnswerSizeLimit(): AnswerSizeLimit {
  let characters = charactersMax
  return {
    characters: () => characters,
    accept(values, back) {
      const previous = characters
      characters = Math.min(charactersMax, 2 * previous)
      return new Revocable(values, () => {
        characters = Math.max(1, Math.floor(previous / 4))
        back()
      })
    },
  }
}

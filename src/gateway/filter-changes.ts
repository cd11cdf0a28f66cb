// What the three kinds of filter tell: blocks, transactions that became ready, logs. Each keeps its own place
// and moves on only with what it gives, so nothing is told twice or left out. What is too much for one poll
// comes with the next. Blocks are found by number: the chain under a filter never reorgs.
// Tested by test/faces/filters-started.test.ts
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { toHex } from '../base/hex.ts'
import { getHeader } from '../ethereum/blocks.ts'
import type { LogObject } from '../ethereum/log-object.ts'
import { logResultsMax, logsOfBlock, logTimeMs } from '../ethereum/logs.ts'
import type { Head } from '../ethereum/head.ts'
import type { Network } from '../ethereum/network.ts'
import type { Changes } from './filters.ts'
import { boundsOf } from './log-bounds.ts'
import { latestBlock } from './params/block-parameter.ts'
import type { LogQuery } from './params/log-filter.ts'

const blocksMax = 1000
const transactionsMax = 10_000
/** Of all logs in one answer. The logs of one block always go together. */
const pollBytesMax = 4 * 1024 * 1024
/** A long run of blocks lets other requests go on in between. */
const turnBlocks = 64

/** Hashes of the blocks after the present head. */
export function blockChanges({ head }: Network): Changes {
  let next = head.latest().number + 1n
  return async (call) => {
    const latest = await call.resolve(latestBlock)
    const hashes: string[] = []
    while (next <= latest.number && hashes.length < blocksMax) {
      hashes.push(toHex(await hashAt(call.network.head, next, call.signal)))
      next += 1n
    }
    return hashes
  }
}

/** Hashes of transactions that become ready for a block from now on. */
export function transactionChanges({ pool }: Network): Changes {
  let next = pool.arrivals.end
  return ({ labels }) => {
    const hashes = pool.arrivals.read(next, transactionsMax)
    if (hashes === null) return Promise.reject(new Fault('no_filter'))
    next += hashes.length
    labels.level(pool.level)
    return Promise.resolve(hashes.map(toHex))
  }
}

/** Matching logs of the blocks after the present head, within the query's range. Label `proof`. */
export function logChanges(network: Network, query: LogQuery, clock: Clock): Changes {
  const { first, last } = boundsOf(query.blocks)
  const after = network.head.latest().number + 1n
  let next = first !== null && first > after ? first : after
  return async (call) => {
    const latest = await call.resolve(latestBlock)
    const end = last !== null && last < latest.number ? last : latest.number
    const endsAt = clock.monotonic() + logTimeMs
    const logs: LogObject[] = []
    let at = next
    let bytes = 0
    const full = () =>
      logs.length >= logResultsMax || bytes >= pollBytesMax || clock.monotonic() > endsAt
    for (let walked = 1; at <= end && !full(); walked += 1) {
      if (walked % turnBlocks === 0) await setImmediate()
      call.signal.throwIfAborted()
      const block = await getHeader(
        network,
        await hashAt(network.head, at, call.signal),
        call.signal,
      )
      const found = await logsOfBlock(network, block, query.filter, call.signal)
      for (const log of found) bytes += log.data.length / 2
      logs.push(...found)
      at += 1n
    }
    // Who gave up gets nothing, so nothing counts as told.
    call.signal.throwIfAborted()
    next = at
    call.labels.level('proof')
    return logs
  }
}

async function hashAt(head: Head, number: bigint, signal: AbortSignal): Promise<Uint8Array> {
  const block = await head.byNumber(number, signal)
  if (block === null) throw new Fault('unknown_block', { detail: 'header not found' })
  return block.hash
}

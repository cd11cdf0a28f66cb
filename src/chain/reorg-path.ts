// The path from one block to another, by parent hashes alone: the blocks that left the chain and those that entered it between
// two heads. Complete by construction, wherever the heads come from.
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import { getHeader, type ProvedHeader } from './blocks.ts'
import type { Network } from './network.ts'
import { completeRead } from './read.ts'

/** Number of steps after which a long path yields to other requests. */
const stepsPerSlice = 128

/** A block and its number, from its header. */
export type ChainPoint = { readonly hash: Uint8Array; readonly number: bigint }

/** `left`: newest first; `entered`: oldest first. */
export type ReorgPath = {
  readonly left: readonly ProvedHeader[]
  readonly entered: readonly ProvedHeader[]
}

/**
 * Walks both ends down to their common ancestor. Throws `over_range` if that takes more than `stepsMax` headers or
 * there is none, and what `getHeader` throws.
 */
export async function findReorgPath(
  network: Network,
  { from, to }: { readonly from: ChainPoint; readonly to: ChainPoint },
  stepsMax: number,
  signal: AbortSignal,
): Promise<ReorgPath> {
  const left: ProvedHeader[] = []
  const newestFirst: ProvedHeader[] = []
  let [below, above] = [from, to]
  let steps = 0
  while (!equalBytes(below.hash, above.hash)) {
    signal.throwIfAborted()
    steps += 1
    if (steps % stepsPerSlice === 0) await setImmediate()
    if (left.length + newestFirst.length >= stepsMax) throw tooFar(stepsMax)
    const [leaves, enters] = [below.number >= above.number, above.number >= below.number]
    if (leaves) {
      const block = await completeRead(getHeader(network, below.hash), signal)
      left.push(block)
      below = parentOf(block)
    }
    if (enters) {
      const block = await completeRead(getHeader(network, above.hash), signal)
      newestFirst.push(block)
      above = parentOf(block)
    }
  }
  return { left, entered: newestFirst.toReversed() }
}

export function parentOf({ header }: ProvedHeader): ChainPoint {
  if (header.number === 0n) throw new Fault('over_range', { detail: 'no block in common' })
  return { hash: header.parentHash, number: header.number - 1n }
}

function tooFar(steps: number): Fault {
  return new Fault('over_range', { detail: `more than ${steps} blocks apart` })
}

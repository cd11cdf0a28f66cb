// The blocks of a network as its head moves, delivered to all followers in the same order: each block that left the
// chain, newest first, then each new one, oldest first. The head names the target and parent hashes the blocks in
// between, so no block is missing or repeated, for any upstream that reported the head.
import type { Clock } from '../base/clock.ts'
import { Fault, hasCode } from '../base/fault.ts'
import { retryWithBackoff } from '../base/retry-with-backoff.ts'
import type { Log } from '../base/log.ts'
import type { ProvedHeader } from './blocks.ts'
import { type ChainPoint, findReorgPath } from './reorg-path.ts'
import type { Network } from './network.ts'

export type ChainEvent = {
  readonly block: ProvedHeader
  /** It is no longer canonical. */
  readonly removed: boolean
  /** Number of the head's move that this event is part of. */
  readonly sequence: number
}

type ChainFollower = {
  step(step: ChainEvent): void
  /** Some blocks cannot be delivered: no more events follow. */
  lost(fault: Fault): void
}

export interface ChainEvents {
  /** Number of the head's last move; its events may still follow, with this `sequence` or a lower one. */
  readonly sequence: number
  /** Delivers moves from now on. Returns a stop function. Throws `no_upstream` if there is no head to start from. */
  follow(follower: ChainFollower): () => void
}

export type ChainEventsLimits = {
  /** Maximum headers of one move: a long gap, or both branches of a reorg. */
  readonly stepsMax: number
  /** Maximum pending moves; beyond it the older ones are merged. */
  readonly movesMax: number
  /** Timeout of fetching headers from upstreams. */
  readonly patienceMs: number
  readonly tryMs: number
}

const defaultLimits: ChainEventsLimits = {
  stepsMax: 4_096,
  movesMax: 256,
  patienceMs: 300_000,
  tryMs: 10_000,
}

type Move = { readonly to: ChainPoint; readonly sequence: number }

/** Runs only while there are followers. */
export function createChainEvents(
  network: Network,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  limits: ChainEventsLimits = defaultLimits,
): ChainEvents {
  const followers = new Set<ChainFollower>()
  let moves: Move[] = []
  let sequence = 0
  let run: Run | null = null

  type Run = {
    at: ChainPoint
    /** A move is being delivered; a second delivery in parallel would repeat events. */
    working: boolean
    readonly controller: AbortController
    readonly unwatch: () => void
  }

  function start(): Run {
    const at = network.head.latest()
    const unwatch = network.head.watch(({ added }) => {
      // A head that only moved back reports its new branch later.
      const to = added.at(-1)
      if (to === undefined) return
      sequence += 1
      moves.push({ to, sequence })
      if (moves.length > limits.movesMax) moves.shift()
      if (!started.working) void work(started)
    })
    const started: Run = { at, working: false, controller: new AbortController(), unwatch }
    return started
  }

  function stop(): void {
    run?.unwatch()
    run?.controller.abort(new Fault('hung_up'))
    run = null
    moves = []
  }

  async function work(running: Run): Promise<void> {
    running.working = true
    try {
      while (run === running && moves.length > 0) await makeMove(running)
      running.working = false
    } catch (thrown) {
      if (run !== running) return
      const fault = Fault.from(thrown)
      log('error', 'chain_feed_lost', { network: network.name, code: fault.code, cause: thrown })
      const everyFollower = [...followers]
      followers.clear()
      stop()
      for (const follower of everyFollower) follower.lost(fault)
    }
  }

  async function makeMove(running: Run): Promise<void> {
    let move = moves[0] as Move
    let tried = false
    const path = await retryWithBackoff(
      (signal) => {
        // A block that no upstream supplies may have left the chain: continue with the newest head.
        if (tried) move = moves.at(-1) ?? move
        tried = true
        return findReorgPath(network, { from: running.at, to: move.to }, limits.stepsMax, signal)
      },
      {
        clock,
        tryMs: limits.tryMs,
        waitMs: 100,
        waitMsMax: 5_000,
        patienceMs: limits.patienceMs,
        isFinal: (thrown) => hasCode(thrown, 'over_range'),
      },
      running.controller.signal,
    )
    if (run !== running) return
    running.at = move.to
    for (const block of path.left) notify({ block, removed: true, sequence: move.sequence })
    for (const block of path.entered) notify({ block, removed: false, sequence: move.sequence })
    moves = moves.filter((pending) => pending.sequence > move.sequence)
  }

  function notify(step: ChainEvent): void {
    for (const follower of followers) follower.step(step)
  }

  return {
    get sequence() {
      return sequence
    },
    follow(follower) {
      run ??= start()
      followers.add(follower)
      return () => {
        if (followers.delete(follower) && followers.size === 0) stop()
      }
    },
  }
}

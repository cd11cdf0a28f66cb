// Who has joined one kind of event, and a walk over them that lets other requests go on in between.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { ChainEvents, ChainEvent } from '../../chain/chain-events.ts'
import type { Subscriber } from './subscription.ts'

/** Members served before other work runs. */
const turnMembers = 256
/** Blocks with unsent events: more than one move of the head can bring (chain-events.ts). */
const stepsMax = 8_192
/** Blocks handled before other work runs. */
const turnSteps = 64

/** Calls `tell` for each of `members` that is still open, who joins meanwhile included. */
export async function notifyEach<Member extends { readonly subscriber: Subscriber }>(
  members: Iterable<Member>,
  tell: (member: Member) => void,
): Promise<void> {
  let served = 0
  for (const member of members) {
    if (!member.subscriber.open) continue
    tell(member)
    served += 1
    if (served % turnMembers === 0) await setImmediate()
  }
}

/** A member receives head changes after the one numbered `after`. */
export type ChainSubscriber = { readonly subscriber: Subscriber; readonly after: number }

/**
 * Members that follow a chain: `work` is run for each step after the one before it has ended. When it throws, or
 * falls too far behind, all members end. Its signal aborts when no member is left.
 */
export function createChainSubscribers<Member extends ChainSubscriber>(
  feed: ChainEvents,
  log: Log,
  work: (step: ChainEvent, members: ReadonlySet<Member>, signal: AbortSignal) => Promise<void>,
): { join(member: Member): () => void } {
  const members = new Set<Member>()
  let steps: ChainEvent[] = []
  let working = false
  let unfollow: (() => void) | null = null
  let controller = new AbortController()

  function rest(): void {
    steps = []
    working = false
    unfollow?.()
    unfollow = null
    controller.abort(new Fault('hung_up'))
    controller = new AbortController()
  }

  function lost(fault: Fault): void {
    rest()
    const ending = [...members]
    members.clear()
    for (const { subscriber } of ending) subscriber.end(fault)
  }

  function take(step: ChainEvent): void {
    if (steps.length >= stepsMax) return lost(new Fault('overloaded'))
    steps.push(step)
    if (working) return
    working = true
    void workThrough(steps)
  }

  /** `own`: those who were lost take their steps with them, and others begin a new list. */
  async function workThrough(own: readonly ChainEvent[]): Promise<void> {
    for (let worked = 1; own === steps; worked += 1) {
      const [step] = steps
      if (step === undefined) break
      try {
        await work(step, members, controller.signal)
      } catch (thrown) {
        if (own !== steps) return
        const fault = Fault.from(thrown)
        log('error', 'events_lost', { code: fault.code, cause: thrown })
        lost(fault)
      }
      if (worked % turnSteps === 0) await setImmediate()
      if (own === steps) steps.shift()
    }
    if (own === steps) working = false
  }

  return {
    join(member) {
      unfollow ??= feed.follow({ step: take, lost })
      members.add(member)
      return () => {
        if (members.delete(member) && members.size === 0) rest()
      }
    },
  }
}

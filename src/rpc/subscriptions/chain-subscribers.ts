// The subscribers of one kind of event, and an iteration over them that yields to other requests.
// Tested by src/rpc/subscriptions/subscriptions.test.ts
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { ChainEvents, ChainEvent } from '../../chain/chain-events.ts'
import type { Subscriber } from './subscription.ts'

/** Members served before other work runs. */
const membersPerSlice = 256
/** Blocks with unsent events: more than one move of the head can produce (chain-events.ts). */
const stepsMax = 8_192
/** Blocks handled before other work runs. */
const stepsPerSlice = 64

/** Calls `notify` for each open member, including members that join during the iteration. */
export async function notifyEach<Member extends { readonly subscriber: Subscriber }>(
  members: Iterable<Member>,
  notify: (member: Member) => void,
): Promise<void> {
  let served = 0
  for (const member of members) {
    if (!member.subscriber.open) continue
    notify(member)
    served += 1
    if (served % membersPerSlice === 0) await setImmediate()
  }
}

/** A member receives head changes after the one numbered `after`. */
export type ChainSubscriber = { readonly subscriber: Subscriber; readonly after: number }

/**
 * Subscribers of chain events: runs `work` for one event after the other. If it throws or too many events are pending, all
 * subscriptions end. Its signal aborts when the last member leaves.
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

  function unfollowAndReset(): void {
    steps = []
    working = false
    unfollow?.()
    unfollow = null
    controller.abort(new Fault('hung_up'))
    controller = new AbortController()
  }

  function lost(fault: Fault): void {
    unfollowAndReset()
    const ending = [...members]
    members.clear()
    for (const { subscriber } of ending) subscriber.end(fault)
  }

  function onEvent(step: ChainEvent): void {
    if (steps.length >= stepsMax) return lost(new Fault('overloaded'))
    steps.push(step)
    if (working) return
    working = true
    void workThrough(steps)
  }

  /** `queue`: the events of this run. When subscribers are lost, `steps` becomes a new array, and the old run stops. */
  async function workThrough(queue: readonly ChainEvent[]): Promise<void> {
    for (let worked = 1; queue === steps; worked += 1) {
      const [step] = steps
      if (step === undefined) break
      try {
        await work(step, members, controller.signal)
      } catch (thrown) {
        if (queue !== steps) return
        const fault = Fault.from(thrown)
        log('error', 'events_lost', { code: fault.code, cause: thrown })
        lost(fault)
      }
      if (worked % stepsPerSlice === 0) await setImmediate()
      if (queue === steps) steps.shift()
    }
    if (queue === steps) working = false
  }

  return {
    join(member) {
      unfollow ??= feed.follow({ step: onEvent, lost })
      members.add(member)
      return () => {
        if (members.delete(member) && members.size === 0) unfollowAndReset()
      }
    },
  }
}

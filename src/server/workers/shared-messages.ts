// Messages and filters that the processes of one machine share: the keeper stores them in memory or in Valkey, and the workers use
// them over their links.
// Tested by src/server/workers/shared-messages.test.ts, which runs the suites of messages and filters
import { type PubSub, Subscribers } from '../../base/pub-sub.ts'
import type { FilterStore, StoredFilter } from '../../rpc/filters/filter-store.ts'
import type { Caller } from './keeper-calls.ts'
import type { KeeperLink } from './keeper-link.ts'

/** Calls of a worker to the keeper. */
export type MessageCalls = {
  readonly publish: (request: { readonly topic: string; readonly message: string }) => void
  /** The worker receives the topic while its link is open; a second call changes nothing. */
  readonly subscribe: (topic: string, caller: Caller) => void
  readonly addFilter: (request: {
    readonly id: string
    readonly filter: StoredFilter
  }) => void | Promise<void>
  readonly findFilter: (id: string) => StoredFilter | null | Promise<StoredFilter | null>
  readonly moveFilter: (request: {
    readonly id: string
    readonly from: string
    readonly to: string
  }) => boolean | Promise<boolean>
  readonly dropFilter: (id: string) => boolean | Promise<boolean>
  readonly countFilters: (keyId: string) => number | Promise<number>
}

type TopicMessage = { readonly topic: string; readonly message: string }

export function createMessageCalls(parts: {
  readonly pubSub: PubSub
  readonly filters: FilterStore
}): MessageCalls {
  const { pubSub, filters } = parts
  const topicsOf = new WeakMap<Caller, Set<string>>()
  return {
    publish: ({ topic, message }) => pubSub.publish(topic, message),
    subscribe(topic, caller) {
      const topics = topicsOf.get(caller) ?? new Set<string>()
      topicsOf.set(caller, topics)
      if (topics.has(topic)) return
      topics.add(topic)
      caller.onClose(
        pubSub.subscribe(topic, (message) =>
          caller.notify({ topic, message } satisfies TopicMessage),
        ),
      )
    },
    addFilter: ({ id, filter }) => filters.add(id, filter),
    findFilter: (id) => filters.find(id),
    moveFilter: ({ id, from, to }) => filters.move(id, from, to),
    dropFilter: (id) => filters.drop(id),
    countFilters: (keyId) => filters.countOf(keyId),
  }
}

/** For a worker. */
export function createLinkedMessages(link: KeeperLink<MessageCalls>): {
  readonly pubSub: PubSub
  readonly filters: FilterStore
} {
  const subscribers = new Subscribers()

  function begin(topic: string): void {
    // If the keeper is unreachable, subscribes when the link opens.
    if (link.isOpen) link.call('subscribe', topic).catch(() => {})
  }

  link.onOpen(() => subscribers.topics().forEach(begin))
  link.onNotice((notice) => {
    const { topic, message } = notice as TopicMessage
    subscribers.deliver(topic, message)
  })
  return {
    pubSub: {
      publish(topic, message) {
        if (link.isOpen) link.call('publish', { topic, message }).catch(() => {})
      },
      subscribe(topic, onMessage) {
        // A separate function, so that one listener can subscribe twice.
        const own = (message: string): void => onMessage(message)
        if (subscribers.add(topic, own)) begin(topic)
        return () => void subscribers.remove(topic, own)
      },
    },
    filters: {
      add: (id, filter) => link.call('addFilter', { id, filter }),
      find: (id) => link.call('findFilter', id),
      move: (id, from, to) => link.call('moveFilter', { id, from, to }),
      drop: (id) => link.call('dropFilter', id),
      countOf: (keyId) => link.call('countFilters', keyId),
    },
  }
}

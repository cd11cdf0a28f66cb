// Messages to all subscribers of a topic: best effort, at most once. A subscriber that needs reliable data reads the state itself.
// Tested by src/base/pub-sub.test.ts, which runs test/suites/pub-sub.suite.ts

/** Every implementation runs test/suites/pub-sub.suite.ts. */
export interface PubSub {
  /** Never throws and never blocks: a message that cannot be sent is lost. The publisher receives its wrapped messages. */
  publish(topic: string, message: string): void
  /** `listener` must not throw. Returns an unsubscribe function. */
  subscribe(topic: string, listener: (message: string) => void): () => void
}

/** Subscribers in one process, by topic. The number of entries is limited by the callers. */
export class Subscribers {
  readonly #byTopic = new Map<string, Set<(message: string) => void>>()

  /** Returns true for the first subscriber of a topic. */
  add(topic: string, listener: (message: string) => void): boolean {
    const topicListeners = this.#byTopic.get(topic)
    if (topicListeners === undefined) this.#byTopic.set(topic, new Set([listener]))
    else topicListeners.add(listener)
    return topicListeners === undefined
  }

  /** Returns true for the last subscriber of a topic. */
  remove(topic: string, listener: (message: string) => void): boolean {
    const subscribers = this.#byTopic.get(topic)
    if (subscribers === undefined || !subscribers.delete(listener) || subscribers.size > 0)
      return false
    return this.#byTopic.delete(topic)
  }

  deliver(topic: string, message: string): void {
    for (const listener of this.#byTopic.get(topic) ?? []) listener(message)
  }

  topics(): readonly string[] {
    return [...this.#byTopic.keys()]
  }
}

/** Pub-sub within one process. Subscribers are called before `publish` returns. */
export function createMemoryPubSub(): PubSub {
  const subscribers = new Subscribers()
  return {
    publish: (topic, message) => subscribers.deliver(topic, message),
    subscribe(topic, listener) {
      // A new function, so that one listener may subscribe twice.
      const wrapped = (message: string): void => listener(message)
      subscribers.add(topic, wrapped)
      return () => void subscribers.remove(topic, wrapped)
    },
  }
}

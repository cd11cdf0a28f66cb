// Messages to all subscribers of a topic: best effort, at most once. A subscriber that needs reliable data reads the state itself.
// Tested by src/base/pub-sub.test.ts, which runs test/suites/pub-sub.suite.ts

/** Every implementation runs test/suites/pub-sub.suite.ts. */
export interface PubSub {
  /** Never throws and never blocks: a message that cannot be sent is lost. The publisher receives its own messages. */
  publish(topic: string, message: string): void
  /** `heard` must not throw. Returns an unsubscribe function. */
  subscribe(topic: string, heard: (message: string) => void): () => void
}

/** Subscribers in one process, by topic. The number of entries is limited by the callers. */
export class Subscribers {
  readonly #byTopic = new Map<string, Set<(message: string) => void>>()

  /** Returns true for the first subscriber of a topic. */
  add(topic: string, heard: (message: string) => void): boolean {
    const known = this.#byTopic.get(topic)
    if (known === undefined) this.#byTopic.set(topic, new Set([heard]))
    else known.add(heard)
    return known === undefined
  }

  /** Returns true for the last subscriber of a topic. */
  remove(topic: string, heard: (message: string) => void): boolean {
    const known = this.#byTopic.get(topic)
    if (known === undefined || !known.delete(heard) || known.size > 0) return false
    return this.#byTopic.delete(topic)
  }

  deliver(topic: string, message: string): void {
    for (const heard of this.#byTopic.get(topic) ?? []) heard(message)
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
    subscribe(topic, heard) {
      // A new function, so that one listener may subscribe twice.
      const own = (message: string): void => heard(message)
      subscribers.add(topic, own)
      return () => void subscribers.remove(topic, own)
    },
  }
}

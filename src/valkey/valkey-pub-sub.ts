// Messages between nodes.
// Tested by test/valkey/pub-sub.test.ts, which runs test/suites/pub-sub.suite.ts
import { type PubSub, Subscribers } from '../base/pub-sub.ts'
import { type ValkeyClient, type ValkeyConnection, keyPrefix } from './connection.ts'

/** Subscriptions use a separate connection, opened by the first one. It subscribes again after each reconnect. */
export function createValkeyPubSub(
  connection: ValkeyConnection,
): PubSub & { close(): Promise<void> } {
  const subscribers = new Subscribers()
  let listening: ValkeyClient | null = null

  function clientOf(): ValkeyClient {
    if (listening !== null) return listening
    const client = connection.duplicate()
    // Retries topics whose subscription failed while the server was unreachable.
    client.on('ready', () => {
      for (const topic of subscribers.topics()) listen(client, topic)
    })
    listening = client
    return client
  }

  function listen(client: ValkeyClient, topic: string): void {
    if (!client.isReady) return
    client.subscribe(keyPrefix + topic, deliver).catch(() => {})
  }

  // One function for all topics: the client calls it once per message, however many subscriptions there are.
  function deliver(message: string, channel: string): void {
    subscribers.deliver(channel.slice(keyPrefix.length), message)
  }

  return {
    publish(topic, message) {
      if (!connection.mayCall()) return
      connection.call((client) => client.publish(keyPrefix + topic, message)).catch(() => {})
    },
    subscribe(topic, listener) {
      const wrapped = (message: string): void => listener(message)
      const client = clientOf()
      if (subscribers.add(topic, wrapped)) listen(client, topic)
      return () => {
        if (!subscribers.remove(topic, wrapped) || !client.isReady) return
        client.unsubscribe(keyPrefix + topic, deliver).catch(() => {})
      }
    },
    async close() {
      listening?.destroy()
    },
  }
}

// The guarantees of every PubSub.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PubSub } from '../../src/base/pub-sub.ts'
import { until } from '../fakes/until.ts'

/** `one` and `other`: two processes. */
export function testPubSub(
  name: string,
  open: (t: TestContext) => Promise<{ readonly one: PubSub; readonly other: PubSub }>,
  options: { readonly skip?: string | false } = {},
): void {
  const { skip = false } = options

  /** Publishes until a message arrives: a subscription may start after `subscribe` returns. */
  async function untilHeard(
    from: PubSub,
    topic: string,
    heard: readonly string[],
    message: string,
  ) {
    await until(() => {
      from.publish(topic, message)
      assert.ok(heard.includes(message))
    })
  }

  test(`${name}: all subscribers of a topic hear a message, and no others`, { skip }, async (t) => {
    const { one, other } = await open(t)
    const [first, second, third]: [string[], string[], string[]] = [[], [], []]
    t.after(one.subscribe('a', (message) => first.push(message)))
    t.after(other.subscribe('a', (message) => second.push(message)))
    t.after(other.subscribe('b', (message) => third.push(message)))
    await untilHeard(one, 'a', first, 'to one')
    await untilHeard(one, 'a', second, 'to other')
    await untilHeard(one, 'b', third, 'b')
    assert.ok(!third.includes('to one') && !third.includes('to other'))
    const long = 'ü'.repeat(100_000)
    await untilHeard(other, 'a', first, long)
  })

  test(`${name}: after the end of a subscription nothing is heard`, { skip }, async (t) => {
    const { one, other } = await open(t)
    const [ended, going]: [string[], string[]] = [[], []]
    const end = other.subscribe('a', (message) => ended.push(message))
    t.after(other.subscribe('a', (message) => going.push(message)))
    await untilHeard(one, 'a', going, 'first')
    end()
    end()
    const before = ended.length
    await untilHeard(one, 'a', going, 'second')
    assert.equal(ended.length, before)
  })
}

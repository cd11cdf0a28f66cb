import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { until } from '../../../test/fakes/until.ts'
import { testFilterStore } from '../../../test/suites/filter-store.suite.ts'
import { testPubSub } from '../../../test/suites/pub-sub.suite.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog as log } from '../../base/log.ts'
import { createMemoryPubSub } from '../../base/pub-sub.ts'
import { createMemoryFilters, defaultFiltersLimits } from '../../rpc/filters/filter-store.ts'
import { createKeeperLink } from './keeper-link.ts'
import { openKeeperSocket } from './keeper-socket.ts'
import { createLinkedMessages, createMessageCalls, type MessageCalls } from './shared-messages.ts'
import { ok } from 'node:assert/strict'

async function openLinks(t: TestContext, limits = defaultFiltersLimits) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'links')
  const clock = createManualClock()
  const open = async () => {
    const calls = createMessageCalls({
      pubSub: createMemoryPubSub(),
      filters: createMemoryFilters(clock, limits),
    })
    const keeper = await openKeeperSocket({ path, calls, log })
    let isOpen = true
    const close = async () => {
      if (isOpen) await keeper.close()
      isOpen = false
    }
    t.after(close)
    return close
  }
  const close = await open()
  const [one, other] = [0, 1].map(() => {
    const link = createKeeperLink<MessageCalls>({ path, clock: systemClock, log })
    t.after(() => link.close())
    return createLinkedMessages(link)
  })
  ok(one !== undefined && other !== undefined)
  return { one, other, open, close, pass: clock.advance }
}

testPubSub('workers', async (t) => {
  const { one, other } = await openLinks(t)
  return { one: one.pubSub, other: other.pubSub }
})

testFilterStore('workers', async (t, limits) => {
  const { one, other, pass } = await openLinks(t, limits)
  return { one: one.filters, other: other.filters, pass }
})

test('subscriptions go on after a restart of the keeper', async (t) => {
  const { one, other, open, close } = await openLinks(t)
  const received: string[] = []
  t.after(other.pubSub.subscribe('a', (message) => received.push(message)))
  await until(() => {
    one.pubSub.publish('a', 'before')
    ok(received.includes('before'))
  })
  await close()
  one.pubSub.publish('a', 'lost')
  await open()
  await until(() => {
    one.pubSub.publish('a', 'after')
    ok(received.includes('after'))
  })
})

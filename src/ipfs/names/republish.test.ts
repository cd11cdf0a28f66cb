// Records are published again while they are valid.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNamesFixture, hourMs, newSigner } from '../../../test/fakes/files/names-fixture.ts'
import { never } from '../../../test/fakes/files/files-fixture.ts'
import { silentLog } from '../../base/log.ts'
import { startRepublish } from './republish.ts'

const content = '/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

test('a record goes out every 4 h until it ends, and 10 min after a failure', async (t) => {
  const { names, rows, clock, state, routing } = createNamesFixture(t)
  const { name, sign } = newSigner()
  state.isOnline = true
  const republish = startRepublish({
    rows,
    routing: () => (state.isOnline ? routing : null),
    keys: () => null,
    clock,
    log: silentLog,
  })
  t.after(() => republish.stop())
  const bytes = sign(content, 1n, clock.now() + 10 * hourMs)
  await names.put('alice', { name, bytes, force: false }, { offline: false }, never)
  const puts = async () => {
    await republish.round()
    return state.puts.length
  }
  assert.equal(await puts(), 1)
  clock.advance(4 * hourMs - 60_000)
  assert.equal(await puts(), 1)
  state.isBroken = true
  clock.advance(60_000)
  assert.equal(await puts(), 2)
  state.isBroken = false
  clock.advance(9 * 60_000)
  assert.equal(await puts(), 2)
  clock.advance(60_000)
  assert.equal(await puts(), 3)
  clock.advance(hourMs)
  state.isOnline = false
  clock.advance(3 * hourMs)
  assert.equal(await puts(), 3)
  state.isOnline = true
  assert.equal(await puts(), 4)
  clock.advance(5 * hourMs)
  assert.equal(await puts(), 4)
})

test('a record that was stored while the network was off goes out when it is on', async (t) => {
  const { names, keys, rows, clock, state, routing } = createNamesFixture(t)
  const { name, sign } = newSigner()
  const bytes = sign(content, 1n, clock.now() + 10 * hourMs)
  await names.put('alice', { name, bytes, force: false }, { offline: false }, never)
  const republish = startRepublish({
    rows,
    routing: () => routing,
    keys: () => keys,
    clock,
    log: silentLog,
  })
  await republish.round()
  assert.deepEqual(state.puts, [name.text])
  await republish.stop()
  assert.equal(clock.timers, 0)
})

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createFilesFixture } from '../../../test/fakes/files/files-fixture.ts'
import { systemClock } from '../../base/clock.ts'
import { createOutbound } from '../../base/outbound.ts'
import { createPinRemotes } from './pin-remotes.ts'
import { createPsaClient } from './psa-client.ts'

const endpoint = 'https://pins.example.com/psa'

function fixture(t: TestContext) {
  const { rows, clock, database } = createFilesFixture(t)
  const open = (secret: number) =>
    createPinRemotes({
      rows,
      clock,
      sealSecret: () => new Uint8Array(32).fill(secret),
      anywhere: () => false,
    })
  return { open, database }
}

test('a service belongs to one account, and its token is decrypted for that alone', async (t) => {
  const { open, database } = fixture(t)
  const remotes = open(1)
  await remotes.add('alice', { name: 'far', endpoint: `${endpoint}/`, token: 'secret' })
  assert.deepEqual(await remotes.get('alice', 'far'), { name: 'far', endpoint, token: 'secret' })
  await assert.rejects(remotes.get('bob', 'far'), { message: 'service not known' })
  database.run(`UPDATE pin_remote SET account_id = 'bob'`)
  assert.equal((await remotes.get('bob', 'far')).token, null)
})

test('a token of another data folder is named in the error of its use', async (t) => {
  const { open } = fixture(t)
  await open(1).add('alice', { name: 'far', endpoint, token: 'secret' })
  const remote = await open(2).get('alice', 'far')
  const outbound = createOutbound({ clock: systemClock, anywhere: () => false })
  const { signal } = new AbortController()
  await assert.rejects(createPsaClient(outbound).get(remote, 'id', signal), {
    message: /identity\.pem of another folder/,
  })
})

test('an account has at most 64 services, and tokens fit into a header', async (t) => {
  const remotes = fixture(t).open(1)
  for (let n = 0; n < 64; n += 1) {
    await remotes.add('alice', { name: `s${n}`, endpoint, token: 'x' })
  }
  const one = { name: 'more', endpoint, token: 'x' }
  await assert.rejects(remotes.add('alice', one), { message: 'more than 64 services' })
  await remotes.add('bob', one)
  await assert.rejects(remotes.add('bob', { ...one, name: 'b', token: 'a\r\nb' }), {
    message: /visible ASCII/,
  })
  await assert.rejects(remotes.add('bob', { ...one, name: '' }), { message: /service name must/ })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { createFilesFixture, never, pinsOf } from '../../../test/fakes/files/files-fixture.ts'
import { findPin, accountPins } from './account-pins.ts'

const insertSql = 'INSERT INTO pin (account_id, cid, mode, name, created) VALUES (?, ?, ?, ?, 0)'

function cidNumber(number: number): CID {
  const digest = createHash('sha256').update(`${number}`).digest()
  const multihash = Uint8Array.of(0x12, 0x20, ...digest)
  return number % 2 === 0 ? cidOf(0, dagPbCodec, multihash) : cidOf(1, rawCodec, multihash)
}

test('every pin of the account is listed once, recursive ones first, and other work has its turn', async (t) => {
  const { files, database } = createFilesFixture(t)
  for (let number = 0; number < 1000; number += 1) {
    const mode = number % 3 === 0 ? 'direct' : 'recursive'
    const account = number % 10 === 0 ? 'bob' : 'alice'
    database.run(insertSql, [account, cidNumber(number).bytes, mode, `name ${number}`])
  }
  let turns = 0
  let counting = true
  const count = (): void => {
    turns += 1
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const pins = await pinsOf(files, 'alice')
  counting = false
  assert.equal(new Set(pins.map(({ cid }) => cid.toString())).size, 900)
  assert.equal(pins.length, 900)
  const firstDirect = pins.findIndex(({ mode }) => mode === 'direct')
  assert.ok(firstDirect > 0)
  assert.ok(pins.slice(firstDirect).every(({ mode }) => mode === 'direct'))
  assert.ok(turns >= 6, `${turns} turns`)
  assert.equal((await pinsOf(files, 'bob')).length, 100)
})

test('a direct pin that becomes a recursive one while pins are listed is listed once', async (t) => {
  const { database, rows } = createFilesFixture(t)
  const cids = Array.from({ length: 500 }, (_, number) => cidNumber(number))
  cids.sort((one, other) => Buffer.compare(one.bytes, other.bytes))
  for (const [at, { bytes }] of cids.entries()) {
    database.run(insertSql, ['alice', bytes, at < 3 ? 'direct' : 'recursive', ''])
  }
  const listedPins: string[] = []
  for await (const { cid } of accountPins(rows, 'alice', never)) {
    listedPins.push(cid.toString())
    if (listedPins.length > 1) continue
    database.run(`UPDATE pin SET mode = 'recursive' WHERE cid = ?`, [cids[1]?.bytes ?? null])
  }
  assert.deepEqual(listedPins.toSorted(), cids.map(String).toSorted())
})

test('however many pins are direct, each is listed once', async (t) => {
  const { database, rows } = createFilesFixture(t)
  database.exec('BEGIN')
  for (let number = 0; number < 10_100; number += 1) {
    const mode = number % 1000 === 0 ? 'recursive' : 'direct'
    database.run(insertSql, ['alice', cidNumber(number).bytes, mode, ''])
  }
  database.exec('COMMIT')
  const listedPins = await Array.fromAsync(accountPins(rows, 'alice', never))
  assert.equal(new Set(listedPins.map(({ cid }) => cid.toString())).size, 10_100)
  assert.equal(listedPins.length, 10_100)
  assert.ok(listedPins.slice(11).every(({ mode }) => mode === 'direct'))
})

test('a list ends with its signal', async (t) => {
  const { database, rows } = createFilesFixture(t)
  for (let number = 0; number < 500; number += 1) {
    database.run(insertSql, ['alice', cidNumber(number).bytes, 'recursive', ''])
  }
  const stop = new AbortController()
  let seen = 0
  const listing = (async () => {
    for await (const _ of accountPins(rows, 'alice', stop.signal)) {
      seen += 1
      stop.abort()
    }
  })()
  await assert.rejects(listing, { name: 'AbortError' })
  assert.ok(seen < 500)
})

test('a pin is found by exactly its CID and by its own account', async (t) => {
  const { database, rows } = createFilesFixture(t)
  const cid = cidNumber(2)
  database.run(insertSql, ['alice', cid.bytes, 'direct', 'mine'])
  assert.deepEqual(await findPin(rows, 'alice', cid), { cid, mode: 'direct', name: 'mine' })
  assert.equal(await findPin(rows, 'alice', cid.toV1()), null)
  assert.equal(await findPin(rows, 'bob', cid), null)
})

// Guessed keys and secrets: random ones and near misses of real ones, 100,000 checked in memory and thousands over HTTP.
// None is accepted, and failed keys are rate-limited by address.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import {
  createApiKey,
  createApiSecret,
  visiblePart,
  withChecksum,
} from '../../src/access/accounts/api-key.ts'
import { createAccounts } from '../../src/access/accounts/accounts.ts'
import { createDirectory } from '../../src/access/accounts/directory.ts'
import { systemClock } from '../../src/base/clock.ts'
import { Fault } from '../../src/base/fault.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { rpc, type Started, startCairn } from '../started-server.ts'

const randomGuesses = 100_000
const nearMisses = 10_000
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Texts that are almost `key`. Some have a valid checksum, so that it alone proves nothing. */
function near(key: string): readonly string[] {
  return [...changes(key)].filter((text) => text !== key)
}

function* changes(key: string): Generator<string> {
  const body = key.slice(0, -6)
  for (let at = 0; at < key.length; at++) {
    for (const letter of alphabet) {
      const changed = key.slice(0, at) + letter + key.slice(at + 1)
      yield changed
      if (at < body.length) yield withChecksum(changed.slice(0, -6))
    }
    yield key.slice(0, at) + flip(key[at] as string) + key.slice(at + 1)
    yield key.slice(0, at)
    yield key.slice(at + 1)
  }
  for (let length = body.length - 1; length > 11; length--) {
    yield withChecksum(body.slice(0, length))
    yield withChecksum(body.slice(0, length) + '0'.repeat(body.length - length))
  }
  yield* [key.toLowerCase(), key.toUpperCase(), key + key, ` ${key}`, `${key} `, `${key}\n`]
  yield* [`${key}\0`, `${key}/`, `${key}?`, `%${key}`, visiblePart(key), '', '__proto__']
  yield createHash('sha256').update(key).digest('hex')
  yield createHash('sha256').update(key).digest('base64url')
}

function flip(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
}

function guess(number: number): string {
  if (number % 3 === 0) return createApiKey()
  if (number % 3 === 1) return randomBytes(16).toString('hex')
  return randomBytes(6 + (number % 80)).toString('base64url')
}

test('a hundred thousand guesses and ten thousand near misses find no key and no secret', async () => {
  const database = openDatabase(':memory:')
  migrate(database)
  const writer = createInlineWriter(database)
  const rows = createSqliteRows(database, writer)
  const accounts = createAccounts({ rows, clock: systemClock })
  await accounts.createAccount('acme', { hasCard: true })
  const made: { key: string; secret: string }[] = []
  for (let n = 0; n < 20; n++) made.push(await accounts.createKey('acme'))
  const imported = { key: randomBytes(16).toString('hex'), secret: randomBytes(16).toString('hex') }
  made.push(await accounts.createKey('acme', { imported }))
  const directory = createDirectory({ db: database, clock: systemClock, log: silentLog })

  const entered: string[] = []
  const tryOne = (key: string, secret: string | null): void => {
    try {
      directory.authenticate(key, secret)
      entered.push(`${key} ${secret}`)
    } catch (thrown) {
      assert.ok(thrown instanceof Fault)
      assert.ok(thrown.code === 'bad_key' || thrown.code === 'bad_secret', thrown.code)
    }
  }
  for (const { key, secret } of made) directory.authenticate(key, secret)
  for (let n = 0; n < randomGuesses; n++) {
    const { key } = made[n % made.length] as { key: string }
    if (n % 2 === 0) tryOne(guess(n), null)
    else tryOne(key, n % 4 === 1 ? createApiSecret() : guess(n))
  }
  let missed = 0
  for (const { key, secret } of made) {
    for (const text of near(key)) {
      tryOne(text, missed++ % 2 === 0 ? null : secret)
    }
    for (const text of near(secret)) {
      missed++
      tryOne(key, text)
    }
  }
  // A secret is not valid for another key.
  for (const { key } of made) {
    for (const { secret } of made.filter((other) => other.key !== key)) tryOne(key, secret)
  }
  assert.ok(missed >= nearMisses, `${missed} near misses`)
  assert.deepEqual(entered, [])
  for (const { key, secret } of made) directory.authenticate(key, secret)
  directory.stop()
  database.close()
})

suite('guesses at the running server', () => {
  const perMinute = 200
  let cairn: Started
  before(async () => {
    cairn = await startCairn({ env: { CAIRN_HTTP_FAILED_KEYS_PER_MINUTE: String(perMinute) } })
  })
  after(() => cairn.stop())

  const askFiles = (key: string, secret: string, url = cairn.url) =>
    fetch(`${url}/api/v0/version`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` },
    })
  const askRpc = (key: string, url = cairn.url) =>
    fetch(`${url}/v3/${encodeURIComponent(key)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}',
    })

  test('of three thousand guesses at both APIs none is accepted, most get 429, and the valid key always passes', async () => {
    const missesOfKey = near(cairn.apiKey)
    const missesOfSecret = near(cairn.apiKeySecret).filter((text) => text !== '')
    const counts = new Map<number, number>()
    const step = 3
    for (let n = 0; n < 3_000; n += step) {
      const answers = await Promise.all([
        askRpc(n % 2 === 0 ? guess(n) : (missesOfKey[n % missesOfKey.length] as string)),
        askFiles(cairn.apiKey, missesOfSecret[n % missesOfSecret.length] as string),
        askFiles(guess(n), cairn.apiKeySecret),
      ])
      for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
      for (const answer of answers) await answer.arrayBuffer()
      if (n % 300 === 0) {
        assert.equal((await rpc(cairn.url, cairn.apiKey, 'eth_chainId')).result, '0x539')
        const good = await askFiles(cairn.apiKey, cairn.apiKeySecret)
        assert.equal(good.status, 200)
        await good.arrayBuffer()
      }
    }
    assert.deepEqual(
      [...counts.keys()].toSorted((a, b) => a - b).filter((status) => status !== 404),
      [401, 429],
    )
    assert.ok((counts.get(429) ?? 0) > 2_000, `${counts.get(429)} answered 429`)
    assert.ok((counts.get(401) ?? 0) >= perMinute, `${counts.get(401)} answered 401`)
  })

  test('over the limit both APIs send Retry-After, and a JSON-RPC reply echoes the id', async (t) => {
    const few = { CAIRN_HTTP_FAILED_KEYS_PER_MINUTE: '3' }
    const { url, stop } = await startCairn({ env: few })
    t.after(stop)
    for (let n = 0; n < 3; n++) await (await askRpc(createApiKey(), url)).arrayBuffer()
    const refusal = await askRpc(createApiKey(), url)
    assert.equal(refusal.status, 429)
    assert.match(refusal.headers.get('retry-after') ?? '', /^0[1-9]\d*$/)
    assert.equal(refusal.headers.get('access-control-allow-origin'), '*')
    assert.partialDeepStrictEqual(await refusal.json(), {
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32005, message: 'project ID request rate exceeded' },
    })
    const files = await askFiles(createApiKey(), createApiSecret(), url)
    assert.equal(files.status, 429)
    assert.match(files.headers.get('retry-after') ?? '', /^0[1-9]\d*$/)
    assert.equal(
      await files.text(),
      '{"Message":"project ID request rate exceeded","Code":3,"Type":"error"}\n',
    )
  })

  test('a key created while an address is rate-limited works within two seconds', async () => {
    const made = (await cairn.cli('keys', 'create')) as { apiKey: string }
    let result: unknown
    while (result === undefined) result = (await rpc(cairn.url, made.apiKey, 'eth_chainId')).result
    assert.equal(result, '0x539')
  })
})

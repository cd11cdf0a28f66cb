// JWTs at the JSON-RPC API of a started server, on both listeners and on a WebSocket.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createJwtPublicKeys } from '../../src/access/accounts/jwt-public-keys.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { createJwtSigner, writeJwt } from '../fakes/people/jwt-signer.ts'
import { openWebSocket } from '../fakes/web-socket-client.ts'
import { runCliInProcess } from '../cli-in-process.ts'
import { type Started, startCairn } from '../started-server.ts'

type Key = { readonly id: string; readonly apiKey: string; readonly apiKeySecret: string }

const signer = createJwtSigner('RS256', systemClock.now)

async function addPublicKey(cairn: Started, keyId: string): Promise<string> {
  const db = openDatabase(join(cairn.dataDir, 'cairn.db'))
  const writer = createInlineWriter(db)
  try {
    const rows = createSqliteRows(db, writer)
    const parts = { rows, clock: systemClock }
    return (await createJwtPublicKeys(parts).add(keyId, { text: signer.publicKey })).id
  } finally {
    await writer.close()
    db.close()
  }
}

for (const listener of ['lean', 'node']) {
  suite(`behind the ${listener} listener`, () => {
    let cairn: Started
    before(async () => {
      cairn = await startCairn({ env: { CAIRN_HTTP_LISTENER: listener } })
    })
    after(() => cairn.stop())

    const newKey = async (...options: string[]) =>
      (await runCliInProcess(cairn.dataDir, 'keys', 'create', ...options)) as Key

    async function call(
      { apiKey }: Key,
      authorization?: string,
      method = 'eth_chainId',
      params: readonly unknown[] = [],
    ) {
      const response = await fetch(`${cairn.url}/v3/${apiKey}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params }),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }

    const refused = (reason: string) =>
      `{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"invalid JWT","data":{"code":"bad_token","reason":"${reason}"}}}`

    test('a key that requires a JWT accepts only valid ones and reports the reason of each refusal', async () => {
      const key = await newKey('--jwt-required')
      const kid = await addPublicKey(cairn, key.id)
      const basic = `Basic ${btoa(`:${key.apiKeySecret}`)}`
      const none = await call(key)
      assert.deepEqual([none.status, none.text], [401, refused('required')])
      assert.match(none.headers.get('www-authenticate') ?? '', /^Basic /)
      assert.equal((await call(key, basic)).text, refused('required'))
      const token = await signer.sign(kid)
      const good = await call(key, `Bearer ${token}`)
      assert.equal(good.status, 200)
      assert.match(good.text, /"result":"0x/)
      assert.equal((await call(key, `bearer   ${token}`)).status, 200)
      const cases: readonly (readonly [sent: string, reason: string])[] = [
        ['Bearer', 'malformed'],
        ['Bearer x.y', 'malformed'],
        [`Bearer ${token}, Bearer ${token}`, 'malformed'],
        [`Bearer ${'a'.repeat(4_000)}.${'a'.repeat(4_000)}.${'a'.repeat(500)}`, 'malformed'],
        [`Bearer ${await signer.sign(kid, { exp: 1 })}`, 'expired'],
        [`Bearer ${await signer.sign(kid, { aud: 'else' })}`, 'audience'],
        [`Bearer ${await signer.sign('else')}`, 'kid'],
        [`Bearer ${token.slice(0, -4)}AAAA`, 'signature'],
        [`Bearer ${writeJwt({ alg: 'none', kid }, { exp: 2e9, aud: 'infura.io' })}`, 'algorithm'],
      ]
      for (const [sent, reason] of cases) {
        const { status, text } = await call(key, sent)
        assert.deepEqual([status, text], [401, refused(reason)], sent.slice(0, 60))
      }
    })

    test('a JWT replaces a required secret, is checked even if not required, and is invalid without a key', async () => {
      const key = await newKey('--secret-required')
      const kid = await addPublicKey(cairn, key.id)
      assert.equal((await call(key, `Bearer ${await signer.sign(kid)}`)).status, 200)
      assert.equal((await call(await newKey(), 'Bearer a.b.c')).status, 401)
      const unknown = { ...key, apiKey: '0'.repeat(32) }
      const { text } = await call(unknown, `Bearer ${await signer.sign(kid)}`)
      assert.match(text, /"message":"invalid project id"/)
    })

    test('the allowlists of a JWT replace those of the key', async () => {
      const key = await newKey('--allow-method', 'eth_chainId', '--allow-ip', '192.0.2.1')
      const kid = await addPublicKey(cairn, key.id)
      const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
      const token = await signer.sign(kid, {
        methods: ['eth_getBalance'],
        addresses: [address],
        exp: Math.floor(systemClock.now() / 1000) + 60,
      })
      const bearer = `Bearer ${token}`
      assert.equal((await call(key, bearer, 'eth_getBalance', [address, 'latest'])).status, 200)
      const other = await call(key, bearer, 'eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
      assert.match(other.text, /"reason":"address"/)
      const method = await call(key, bearer)
      assert.match(method.text, /"reason":"method"/)
      assert.match((await call(key)).text, /"reason":"ip"/)
      assert.match((await call(key, `Bearer ${await signer.sign(kid)}`)).text, /"reason":"ip"/)
    })

    test('a WebSocket opens with a JWT and closes when the token expires', async () => {
      const key = await newKey('--jwt-required')
      const kid = await addPublicKey(cairn, key.id)
      const url = `${cairn.url.replace('http', 'ws')}/ws/v3/${key.apiKey}`
      const open = (token: string) =>
        openWebSocket(url, { headers: { authorization: `Bearer ${token}` } })
      // Expired, but within the tolerated clock skew.
      const exp = Math.floor(systemClock.now() / 1000) - 25
      const client = await open(await signer.sign(kid, { exp }))
      const { code, reason } = await client.ended
      assert.deepEqual([code, reason], [1008, 'invalid JWT'])
    })
  })
}

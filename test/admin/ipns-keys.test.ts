// Admin operations on stored keys of IPNS names: operators export them, and the audit entry contains nothing of the key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePrivateKey, encodePublicKey } from '../../src/codec/ipld/libp2p-key.ts'
import { nameOfKey } from '../../src/codec/ipld/ipns-name.ts'
import { openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { startCairn } from '../started-server.ts'

test(
  'an operator exports a held key, whose public key is the name; others do not',
  { timeout: 300_000 },
  async (t) => {
    const cairn = await startCairn({ env: { CAIRN_IPNS_KEYS: 'true' } })
    t.after(() => cairn.stop())
    const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
    const made = await fetch(`${cairn.url}/api/v0/key/gen?arg=my%20site`, {
      method: 'POST',
      headers: { authorization },
    })
    const { Id } = (await made.json()) as { Id: string }
    const admin = await takeFirstRun(cairn)
    const { body: all } = await admin.ask('GET', '/accounts')
    const [account] = all['accounts'] as { id: string }[]
    const base = `/accounts/${account?.id}/ipns-keys`
    const listed = await admin.ask('GET', base)
    assert.deepEqual(listed.body, { keys: [{ name: 'my site', id: Id }] })
    await admin.ask('POST', '/me/confirmation', { password: 'a stone on a stone' })
    const { status, body } = await admin.ask('POST', `${base}/my%20site/export`, {})
    assert.equal(status, 200, JSON.stringify(body))
    const key = decodePrivateKey(Buffer.from(String(body['key']), 'base64'))
    assert.equal(nameOfKey(encodePublicKey(key)).text, Id)
    assert.match(String(body['pem']), /^-----BEGIN PRIVATE KEY-----/)
    assert.equal((await admin.ask('POST', `${base}/other/export`, {})).status, 404)
    const stranger = await openAdminClient(cairn.url).ask('POST', `${base}/my%20site/export`, {})
    assert.equal(stranger.status, 401)
    const audit = JSON.stringify((await admin.ask('GET', '/audit')).body)
    assert.match(audit, /"action":"exportIpnsKey"/)
    assert.ok(!audit.includes(String(body['key']).slice(0, 40)))
  },
)

// The request inspector of a started server: enabled by the key's owner, read through the admin API, with the upstream calls of a
// read.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { InspectedRequest } from '../../src/pipeline/inspector/inspected-request.ts'
import { startBehind } from '../behind-upstreams.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { type AdminClient, openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { type Started, startCairn } from '../started-server.ts'

type Listed = { readonly requests: readonly InspectedRequest[] }

async function enter(cairn: Started) {
  const client = await takeFirstRun(cairn)
  const { body } = await client.ask('GET', '/accounts')
  const [account] = body['accounts'] as readonly { id: string }[]
  const listed = await client.ask('GET', `/accounts/${account?.id}/keys`)
  const [key] = listed.body['keys'] as readonly { id: string }[]
  const keyPath = `/accounts/${account?.id}/keys/${key?.id}`
  return {
    client,
    keyPath,
    set: async (settings: Readonly<Record<string, boolean>>) =>
      equal((await client.ask('PATCH', keyPath, { settings })).status, 200),
    list: async (query = '') => await listOf(client, keyPath, query),
    whole: async (id: number) =>
      (await client.ask('GET', `${keyPath}/requests/${id}`)).body as unknown as InspectedRequest,
  }
}

async function listOf(client: AdminClient, keyPath: string, query: string) {
  const { status, body } = await client.ask('GET', `${keyPath}/requests${query}`)
  equal(status, 200)
  return (body as unknown as Listed).requests
}

/** The text of every file below the folder. */
async function textOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'server.lock')
  const texts = await Promise.all(
    files.map(async ({ parentPath, name }) => await readFile(join(parentPath, name), 'latin1')),
  )
  return texts.join('\n')
}

test('an owner enables the inspector, sees requests of both APIs, and disables it', async (t: TestContext) => {
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const { client, keyPath, set, list, whole } = await enter(cairn)
  await cairn.rpc('eth_chainId')
  deepEqual(await list(), [])

  await set({ inspect: true, inspectBodies: true })
  const planted = 'planted-in-a-param-0001'
  await cairn.rpc('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
  await cairn.rpc('eth_getBalance', [planted])
  const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
  const form = new FormData()
  form.append('file', new Blob(['hello cairn']))
  const added = await fetch(`${cairn.url}/api/v0/add?pin=false`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  equal(added.status, 200)
  await added.text()
  const missing = await fetch(`${cairn.url}/api/v0/cat?arg=nothing`, {
    method: 'POST',
    headers: { authorization },
  })
  await missing.text()

  const rows = await list()
  deepEqual(
    rows.map(({ method, face, outcome, status }) => [method, face, outcome, status].join(' ')),
    [
      `cat files ${rows[0]?.outcome} 500`,
      'add files ok 200',
      'eth_getBalance rpc bad_params 200',
      'eth_getBalance rpc ok 200',
    ],
  )
  const [, add] = rows
  ok(add)
  const { calls, timeline, bytesOut } = await whole(add.id)
  equal(calls[0]?.params.text, '[{"pin":false}]')
  equal(calls[0]?.result, null)
  ok(bytesOut > 0 && timeline.some(({ step }) => step === 'run'))
  const all = JSON.stringify(await Promise.all(rows.map(({ id }) => whole(id))))
  ok(all.includes(planted))
  for (const secret of [cairn.apiKey, cairn.apiKeySecret]) ok(!all.includes(secret))

  const first = rows.at(-1)
  const replayed = await client.ask('POST', `${keyPath}/requests/${first?.id}/replay`, {
    block: 'earliest',
  })
  deepEqual(replayed.body['differences'], [])
  equal(replayed.body['verified'], 'proof')
  ok(!(await textOf(cairn.dataDir)).includes(planted), 'nothing of it is on disk')

  await set({ inspect: false })
  await set({ inspect: true })
  deepEqual(await list(), [])
})

test('each recorded request has the request ID of its reply, and a client without a session gets 401', async (t: TestContext) => {
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const { client, keyPath, set } = await enter(cairn)
  await set({ inspect: true })
  const origin = cairn.url
  const asPerson = { cookie: client.cookie ?? '', origin, 'x-cairn-admin': '1' }
  const asKey = { authorization: `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}` }
  const sent: readonly (readonly [string, string, Record<string, string>, string])[] = [
    ['POST', `/v3/${cairn.apiKey}`, {}, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'],
    ['POST', '/api/v0/version', asKey, ''],
    ['POST', '/api/v0/version', { authorization: `Basic ${btoa(`${cairn.apiKey}:no`)}` }, ''],
    ['GET', '/psa/pins', { authorization: `Bearer ${cairn.apiKey}:no` }, ''],
    ['POST', `/api/v1${keyPath}/files/version`, asPerson, ''],
  ]
  const path = `${keyPath.replace(/\/keys\/.*/, '')}/requests?requestId=`
  for (const [method, url, headers, body] of sent) {
    const reply = await fetch(`${cairn.url}${url}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === '' ? null : body,
    })
    await reply.text()
    const found = await client.ask('GET', `${path}${reply.headers.get('x-request-id')}`)
    const { requests } = found.body as unknown as Listed
    deepEqual(
      requests.map(({ status }) => status),
      [reply.status],
      `${method} ${url}`,
    )
  }
  equal((await openAdminClient(cairn.url).ask('GET', `${path}any`)).status, 401)
})

test('live requests are sent as server-sent events', async (t: TestContext) => {
  const cairn = await startCairn()
  t.after(() => cairn.stop())
  const { client, keyPath, set } = await enter(cairn)
  await set({ inspect: true })
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const response = await fetch(`${cairn.url}/api/v1${keyPath}/requests/live?outcome=failed`, {
    headers: { cookie: client.cookie ?? '' },
    signal: leaving.signal,
  })
  equal(response.headers.get('content-type'), 'text/event-stream')
  await cairn.rpc('eth_chainId')
  await cairn.rpc('eth_getBalance')
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('data: ') && text.endsWith('\n\n')) break
  }
  const event = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as InspectedRequest
  deepEqual([event.method, event.outcome], ['eth_getBalance', 'bad_params'])
})

test('a read through upstreams lists the queried upstreams and compares a different reply', async (t: TestContext) => {
  const chain = await openStubChain()
  const stubs = [await startStubUpstream(t, chain, {}), await startStubUpstream(t, chain, {})]
  const cairn = await startBehind(
    t,
    stubs.map(({ url }, at) => ({ url, name: `node-${at}` })),
    { chainId: testChain.chainId, heads: { pollMs: 100, quorum: 1 } },
  )
  const { client, keyPath, set, list, whole } = await enter(cairn)
  await set({ inspect: true, inspectBodies: true })
  const slot = [testChain.emitter, `0x${'00'.repeat(32)}`, 'latest']
  const { level } = await cairn.ask('eth_getStorageAt', slot)
  equal(level, 'proof')
  await cairn.ask('eth_getStorageAt', slot)
  const [second, first] = await list()
  ok(first && second)
  const { timeline, upstreams } = await whole(first.id)
  // The second upstream is queried in parallel if the first one is slow.
  const sourceSteps = timeline.filter(({ step }) => step === 'source')
  deepEqual([...new Set(sourceSteps.map(({ name }) => name))], upstreams)
  ok(upstreams.length > 0 && upstreams.every((name) => /^node-[01]$/.test(name)))
  ok(
    sourceSteps.some(({ outcome }) => outcome === 'answered'),
    JSON.stringify(timeline),
  )
  ok(timeline.some(({ step }) => step === 'verify'))
  ok(timeline.some(({ step }) => step === 'store'))
  const again = await whole(second.id)
  deepEqual(again.upstreams, [])
  ok(again.timeline.some(({ step }) => step === 'kept'))

  const offered = (await client.ask('GET', `${keyPath}/requests/${first.id}`)).body
  deepEqual(offered['networkUpstreams'], ['node-0', 'node-1'])
  const path = `${keyPath}/requests/${first.id}/replay`
  const word = await client.ask('POST', path, { upstream: 'node-1' })
  deepEqual([word.body['verified'], word.body['differences']], ['none', []])
  equal((await client.ask('POST', path, { upstream: 'node-7' })).code, 'absent')

  // Only operators see upstream names; an owner of the account does not.
  const accountId = /accounts\/([^/]+)/.exec(keyPath)?.[1]
  const { body } = await client.ask('POST', '/invitations', { role: 'owner', accountId })
  const owner = openAdminClient(cairn.url)
  const newcomer = { email: 'grace@example.org', name: 'Grace', password: 'a stone on a stone' }
  await owner.ask('POST', '/welcome', { link: body['link'], ...newcomer })
  for (const where of [`${keyPath}/requests/${first.id}`, `${keyPath}/requests`]) {
    const seen = await owner.ask('GET', where)
    equal(seen.status, 200)
    ok(!/node-[01]/.test(JSON.stringify(seen.body)), where)
  }
  equal((await owner.ask('POST', path, { upstream: 'node-1' })).code, 'not_allowed')
  equal((await owner.ask('POST', path, {})).status, 200)
})

// Networks saved through the admin API of a started server: queried first, served without a restart and without a dropped request
// on other networks, and again after a restart. Replies, audit log, log and database contain no secret.
import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { type AdminClient, openAdminClient, takeFirstRun } from '../fakes/people/admin-client.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import type { StubKnobs } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { rpc, type Started, startCairn, temporaryFolder } from '../started-server.ts'
import {
  engineChainId,
  startAnvilUpstream,
  startEngineUpstream,
} from '../upstream/engine-upstream.ts'

const { chainId, emitter: contract, emitted } = testChain
const secret = 'a0b1c2d3e4f5'

type Network = {
  readonly name: string
  readonly origin: string
  readonly isDefault: boolean
  readonly chainId: string
  readonly live: { readonly serving: boolean; readonly head: string | null } | null
  readonly upstreams: readonly object[]
}
type Probe = {
  readonly chainId: string | null
  readonly upstreams: readonly Readonly<Record<string, unknown>>[]
  readonly problems: readonly { readonly code: string; readonly level: string }[]
}

/** The server of all tests that remove the networks that they save. */
let shared: Started
let admin: AdminClient
before(async () => {
  shared = await startCairn()
  admin = await takeFirstRun(shared)
})
after(() => shared.stop())

/** Removes a saved network after the test. */
function removed(t: TestContext, name: string): string {
  t.after(() => admin.ask('DELETE', `/networks/${name}`))
  return name
}

async function start(t: TestContext, args: readonly string[] = [], dataDir?: string) {
  const folder = dataDir ?? (await temporaryFolder())
  if (dataDir === undefined) t.after(() => rm(folder, { recursive: true, force: true }))
  const cairn = await startCairn({ dataDir: folder, args })
  t.after(() => cairn.stop())
  let log = ''
  cairn.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  return { cairn, log: () => log }
}

async function stub(t: TestContext, knobs: Partial<StubKnobs> = {}) {
  return await startStubUpstream(t, await openStubChain(), { knobs })
}

const slotOf = (cairn: Started, network: string) =>
  rpc(`${cairn.url}${network}`, cairn.apiKey, 'eth_getStorageAt', [contract, '0x0', 'latest'])

async function networksOf(admin: AdminClient): Promise<readonly Network[]> {
  return (await admin.ask('GET', '/networks')).body['networks'] as readonly Network[]
}

test('a network is queried, saved, served at once next to the embedded chain, and again after a restart', async (t) => {
  const node = await stub(t, { pushes: true, proofWindow: { blocks: 20, client: 'geth' } })
  const { cairn } = await start(t)
  const admin = await takeFirstRun(cairn)
  const upstreams = [{ url: node.url, trusted: true }]

  const { body } = await admin.ask('POST', '/network-probe', { name: 'recorded', upstreams })
  const probe = body as unknown as Probe
  assert.equal(probe.chainId, String(chainId))
  const [found] = probe.upstreams
  assert.partialDeepStrictEqual(found, {
    url: node.url,
    failure: null,
    client: 'Geth/v1.16.4-stub/linux-amd64/go1.25.1',
    head: { number: '54' },
    proofs: 'the last 2 blocks',
    pushesHeads: true,
    lacks: [],
  })
  assert.equal(typeof found?.['latencyMs'], 'number')
  assert.deepEqual(await networksOf(admin).then((all) => all.map(({ name }) => name)), ['dev'])

  const added = await admin.ask('POST', '/networks', { name: 'recorded', upstreams })
  assert.equal(added.status, 200, added.message)
  assert.equal((added.body['network'] as Network).chainId, String(chainId))
  assert.equal((await slotOf(cairn, '/recorded')).result, emitted)
  assert.equal((await cairn.rpc('eth_chainId')).result, '0x539')
  const [own, saved] = await networksOf(admin)
  assert.partialDeepStrictEqual(own, { name: 'dev', origin: 'settings', chainId: '1337' })
  assert.partialDeepStrictEqual(saved, {
    name: 'recorded',
    origin: 'saved',
    isDefault: false,
    live: { serving: true, head: '54' },
  })
  await cairn.stop()

  const again = await start(t, [], cairn.dataDir)
  assert.equal(
    (await rpc(`${again.cairn.url}/recorded`, cairn.apiKey, 'eth_blockNumber')).result,
    '0x36',
  )
})

test('a network is changed and removed, a default one is served at the paths without a network', async (t) => {
  const node = await stub(t)
  const other = await stub(t)
  const upstreams = [{ url: node.url, name: 'one', trusted: true }]
  await admin.ask('POST', '/networks', { name: 'recorded', upstreams, isDefault: true })
  assert.equal((await slotOf(shared, '')).result, emitted)

  // An upstream without a URL keeps its URL.
  const two = [{ name: 'one' }, { name: 'two', url: other.url }]
  const changed = await admin.ask('PATCH', '/networks/recorded', {
    upstreams: two,
    verify: 'prefer',
  })
  assert.equal(changed.status, 200, changed.message)
  assert.partialDeepStrictEqual(changed.body['network'], {
    verify: { default: 'prefer' },
    upstreams: [
      { name: 'one', url: node.url, trusted: true },
      { name: 'two', url: other.url, trusted: false },
    ],
  })
  await node.stop()
  assert.equal((await slotOf(shared, '/recorded')).result, emitted)

  const plain = await admin.ask('PATCH', '/networks/recorded', { isDefault: false })
  assert.equal(plain.status, 200, plain.message)
  assert.equal((await shared.rpc('eth_chainId')).result, '0x539')
  assert.equal((await admin.ask('DELETE', '/networks/recorded')).status, 200)
  const gone = await slotOf(shared, '/recorded')
  assert.match(JSON.stringify(gone.error), /recorded is not served/)
  assert.equal((await admin.ask('DELETE', '/networks/recorded')).code, 'absent')
})

test('a paused upstream gets no calls until it is resumed, and the last one cannot be paused', async (t) => {
  const [one, other] = [await stub(t), await stub(t)]
  const name = removed(t, 'recorded')
  const upstreams = [
    { name: 'one', url: one.url, trusted: true },
    { name: 'other', url: other.url },
  ]
  const change = async (...paused: readonly boolean[]) =>
    await admin.ask('PATCH', `/networks/${name}`, {
      upstreams: paused.map((each, at) => ({ name: upstreams[at]?.name, paused: each })),
    })
  await admin.ask('POST', '/networks', { name, upstreams })
  const paused = await change(true, false)
  assert.equal(paused.status, 200, paused.message)
  assert.partialDeepStrictEqual(paused.body['network'], {
    upstreams: [
      { name: 'one', trusted: true, paused: true },
      { name: 'other', paused: false },
    ],
  })
  one.forgetCalls()
  assert.equal((await slotOf(shared, `/${name}`)).result, emitted)
  assert.equal(one.count(), 0)
  await one.stop()
  const both = await change(true, true)
  assert.equal(both.status, 400)
  assert.match(both.message, /all upstreams are paused, expected one that is not/)
  const resumed = await change(false, true)
  assert.match(resumed.message, /upstream one does not reply/)
  const swapped = await admin.ask('PATCH', `/networks/${name}`, {
    upstreams: [
      { name: 'one', paused: false },
      { name: 'other', paused: true },
    ],
    force: true,
  })
  assert.equal(swapped.status, 200, swapped.message)
})

test('two upstreams that do not reply are paused one after the other', async (t) => {
  const nodes = [await stub(t), await stub(t), await stub(t)]
  const name = removed(t, 'recorded')
  const upstreams = nodes.map(({ url }, at) => ({ name: `node-${at}`, url }))
  await admin.ask('POST', '/networks', { name, upstreams })
  await Promise.all(nodes.slice(1).map((node) => node.stop()))
  const change = async (...paused: readonly boolean[]) =>
    await admin.ask('PATCH', `/networks/${name}`, {
      upstreams: paused.map((each, at) => ({ name: `node-${at}`, paused: each })),
    })
  for (const paused of [
    [false, true, false],
    [false, true, true],
  ]) {
    const reply = await change(...paused)
    assert.equal(reply.status, 200, reply.message)
  }
  assert.match((await change(false, false, true)).message, /node-1 does not reply/)
})

test('networks that cannot be served are refused with the member, and force saves one that does not reply', async (t) => {
  const node = await stub(t)
  removed(t, 'recorded')
  const add = (more: object) => admin.ask('POST', '/networks', { name: 'recorded', ...more })
  const to = (...urls: readonly string[]) => ({ upstreams: urls.map((url) => ({ url })) })
  const down = 'http://127.0.0.1:9'
  const refusals: readonly (readonly [object, string, RegExp, string])[] = [
    [{ ...to(node.url), name: 'dev' }, 'conflict', /dev is in the settings already/, 'name'],
    [
      { ...to(node.url), name: 'Mainnet' },
      'bad_input',
      /^name is "Mainnet": expected lower/,
      'name',
    ],
    [to(`ftp://a/${secret}`), 'bad_input', /got ftp:\/\//, 'upstreams.0.url'],
    [to('${env:HOME}'), 'bad_input', /contains a reference/, 'upstreams.0.url'],
    [to(node.url, node.url), 'bad_input', /one node would count as two/, 'upstreams.1.url'],
    [to(node.url, down), 'bad_input', /127\.0\.0\.1:9 does not reply: /, 'upstreams.1.url'],
    [{ ...to(down), force: true }, 'bad_input', /set chainId/, 'chainId'],
    [
      { ...to(node.url), name: 'sepolia' },
      'bad_input',
      /expected 11155111 \(sepolia\)/,
      'upstreams.0.url',
    ],
    [
      { ...to(node.url), chainId: 3, force: true },
      'bad_input',
      /serves chain \d+, expected 3$/,
      'upstreams.0.url',
    ],
    [{ ...to(node.url), verify: 'always' }, 'bad_input', /require, prefer or off/, 'verify'],
    [{ upstreams: [] }, 'bad_input', /upstreams/, 'upstreams'],
    [{ upstreams: [{ name: 'one' }] }, 'bad_input', /url is missing/, 'upstreams.0.url'],
    [{ ...to(node.url), colour: 1 }, 'bad_input', /colour/, ''],
  ]
  for (const [sent, code, message, field] of refusals) {
    const reply = await add(sent)
    assert.equal(reply.code, code, JSON.stringify(sent))
    assert.match(reply.message, message)
    assert.doesNotMatch(reply.message, new RegExp(secret))
    const { data } = reply.body['error'] as { data?: { field?: string } }
    assert.equal(data?.field, field, reply.message)
  }
  assert.deepEqual(await networksOf(admin).then((all) => all.map(({ name }) => name)), ['dev'])

  const forced = await add({ ...to(down), chainId, force: true })
  assert.equal(forced.status, 200, forced.message)
  assert.equal((await add(to(node.url))).code, 'conflict')
  const [, saved] = await networksOf(admin)
  assert.deepEqual(saved?.live, { serving: true, head: null })
})

test('networks of the settings are listed, tested, and not editable', async (t) => {
  const node = await stub(t)
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'cairn.yaml')
  const network = { name: 'own', chainId, upstreams: [{ url: node.url, trusted: true }] }
  await writeFile(file, JSON.stringify({ networks: [network] }))
  const { cairn } = await start(t, ['--config', file], dataDir)
  const admin = await takeFirstRun(cairn)
  assert.partialDeepStrictEqual(await networksOf(admin), [{ name: 'own', origin: 'settings' }])
  const tested = await admin.ask('POST', '/networks/own/test', {})
  assert.partialDeepStrictEqual(tested.body['upstreams'], [{ failure: null, url: node.url }])
  for (const method of ['PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { verify: 'off' } : undefined
    const { code, message } = await admin.ask(method, '/networks/own', body)
    assert.equal(code, 'conflict')
    assert.match(message, /is in the settings: change it there/)
  }
  const sent = { name: 'two', upstreams: [{ url: node.url }], isDefault: true }
  const { message } = await admin.ask('POST', '/networks', sent)
  assert.match(message, /first network of the settings is the default/)
})

test('URLs and headers of a saved network appear in no reply, log, audit record or file', async (t) => {
  const node = await stub(t)
  const { cairn, log } = await start(t)
  const admin = await takeFirstRun(cairn)
  const upstreams = [
    {
      url: `${node.url}/v3/${secret}`,
      name: 'one',
      headers: { 'x-token': `header-${secret}` },
    },
  ]
  const replies = [
    await admin.ask('POST', '/network-probe', { upstreams }),
    await admin.ask('POST', '/networks', { name: 'recorded', upstreams }),
    await admin.ask('POST', '/networks/recorded/test', {}),
    await admin.ask('GET', '/networks'),
    await admin.ask('GET', '/upstreams'),
    await admin.ask('GET', '/audit'),
    await admin.ask('DELETE', '/networks/recorded'),
  ]
  for (const { status, message } of replies) assert.equal(status, 200, message)
  const audit = JSON.stringify(replies[5]?.body)
  assert.match(audit, /"action":"addNetwork"/)
  assert.doesNotMatch(audit, /probeNetwork|testNetwork/)
  assert.doesNotMatch(JSON.stringify(replies.map(({ body }) => body)), new RegExp(secret))
  await cairn.stop()
  assert.doesNotMatch(log(), new RegExp(secret))
  for (const name of await readdir(cairn.dataDir)) {
    if (!name.startsWith('cairn.db')) continue
    const bytes = await readFile(join(cairn.dataDir, name), 'latin1')
    assert.doesNotMatch(bytes, new RegExp(secret))
  }
})

test('the audit log contains how a change of a network weakens its proofs', async (t) => {
  const node = await stub(t)
  const upstreams = [{ url: node.url, name: 'one', trusted: true }]
  await admin.ask('POST', '/networks', { name: removed(t, 'recorded'), upstreams })
  const change = {
    verify: { default: 'require', eth_getCode: 'off' },
    heads: { require: 'any', maxAgeMs: 90_000 },
    allow: ['eth_call'],
    deny: ['debug_*'],
  }
  const { status, message } = await admin.ask('PATCH', '/networks/recorded', change)
  assert.equal(status, 200, message)
  const { body } = await admin.ask('GET', '/audit?actions=changeNetwork')
  const [record] = body['records'] as { previous: object; changes: object }[]
  assert.partialDeepStrictEqual(record?.previous, { verify: [], allow: null, deny: [] })
  assert.partialDeepStrictEqual(record?.changes, {
    verify: ['default: require', 'eth_getCode: off'],
    heads: { require: 'any', maxAgeMs: 90_000 },
    allow: ['eth_call'],
    deny: ['debug_*'],
  })
})

test('a session must be confirmed to save a network, and a token of an operator passes', async (t) => {
  const node = await stub(t)
  const token = await admin.ask('POST', '/me/tokens', {
    name: 'deploy',
    expires: null,
    role: 'operator',
  })
  const other = openAdminClient(shared.url)
  await other.ask('POST', '/session', { email: 'ada@example.org', password: 'a stone on a stone' })
  const body = { name: removed(t, 'recorded'), upstreams: [{ url: node.url }] }
  assert.equal((await other.ask('GET', '/networks')).status, 200)
  for (const path of ['/networks', '/network-probe']) {
    assert.equal((await other.ask('POST', path, body)).code, 'needs_confirmation')
  }
  assert.equal(node.count(), 0)
  const program = openAdminClient(shared.url, String(token.body['text']))
  assert.equal((await program.ask('POST', '/networks', body)).status, 200)
})

test(
  'adding, changing and removing a network drops no request of the others',
  { timeout: 300_000 },
  async (t) => {
    const node = await stub(t)
    const upstreams = [{ url: node.url, trusted: true }]
    await admin.ask('POST', '/networks', { name: removed(t, 'first'), upstreams })
    let isOver = false
    let answered = 0
    const lane = async (from: number) => {
      for (let turn = 0; !isOver; turn++) {
        // A slot that no test has read, so that an upstream is queried.
        const slot = `0x${(turn * 8 + from).toString(16)}`
        for (const network of ['', '/first']) {
          const reply = await rpc(`${shared.url}${network}`, shared.apiKey, 'eth_getStorageAt', [
            contract,
            slot,
            'latest',
          ])
          assert.equal(reply.error, undefined, JSON.stringify(reply.error))
          answered += 1
        }
      }
    }
    const load = Promise.all([1, 2, 3, 4].map(lane))
    for (let round = 0; round < 3; round++) {
      const before = answered
      for (const [method, path, body] of [
        ['POST', '/networks', { name: 'second', upstreams }],
        ['PATCH', '/networks/second', { verify: 'off' }],
        ['DELETE', '/networks/second', undefined],
      ] as const) {
        const { status, message } = await admin.ask(method, path, body)
        assert.equal(status, 200, message)
      }
      while (answered < before + 8) await Promise.race([new Promise(setImmediate), load])
    }
    isOver = true
    await load
  },
)

test('upstreams that lack data or disagree are named before they are saved', async (t) => {
  const chain = await openStubChain()
  const bare = await startStubUpstream(t, chain, {
    knobs: { lacks: (method) => /^(debug_|eth_getProof)/.test(method) },
  })
  const foreign = await stub(t, { chainId: 5n })
  const upstreams = [bare.url, foreign.url, 'http://127.0.0.1:9'].map((url) => ({ url }))
  const { body } = await admin.ask('POST', '/network-probe', { upstreams })
  const { chainId: common, problems } = body as unknown as Probe
  assert.equal(common, null)
  const codes = problems.map(({ code }) => code)
  for (const code of ['upstream_no_proof', 'upstream_wrong_chain', 'upstream_unreachable']) {
    assert.ok(codes.includes(code), codes.join())
  }
})

test('another chain with the same chain ID is a problem', async (t) => {
  const node = await stub(t)
  const twin = await stub(t, {
    falsify: ({ method, params }, reply) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x0' && 'result' in reply
        ? { result: { ...(reply.result as object), hash: `0x${'12'.repeat(32)}` } }
        : null,
  })
  const upstreams = [{ url: node.url }, { url: twin.url }]
  const { body } = await admin.ask('POST', '/network-probe', { upstreams })
  const { problems } = body as unknown as Probe
  assert.ok(problems.some(({ code }) => code === 'upstream_other_genesis'))
})

test('a node of another engine is queried and served', { timeout: 300_000 }, async (t) => {
  const engine = (await startEngineUpstream(t)) ?? (await startAnvilUpstream(t))
  if (engine === null) return t.skip('neither EDR nor anvil is installed')
  const sent = { name: removed(t, 'engine'), upstreams: [{ url: engine.url, trusted: true }] }
  const added = await admin.ask('POST', '/networks', sent)
  assert.equal(added.status, 200, added.message)
  const { result } = await rpc(`${shared.url}/engine`, shared.apiKey, 'eth_chainId')
  assert.equal(result, `0x${engineChainId.toString(16)}`)
})

// A started server and real Kubo nodes that find each other by configured peers, by a router and by the DHT, only on loopback.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { freePort } from '../engines/free-port.ts'
import { type Kubo, missingKubo, startKubo } from '../engines/kubo.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { psaClient } from '../fakes/files/psa-client.ts'
import { startRouter } from '../fakes/router.ts'
import { until } from '../fakes/until.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const limit = { skip: missingKubo(), timeout: 300_000 }
const onLinux = {
  skip: existsSync('/proc/self/stat') ? false : 'left out: /proc lists no processes',
  timeout: 300_000,
}
const mib = 1024 * 1024

type NetworkSettings = Readonly<Record<string, unknown>>

const closed: NetworkSettings = {
  private: true,
  routers: [],
  bootstrap: [],
  dht: 'off',
  peers: [],
}

async function start(t: TestContext, network: NetworkSettings, more: object = {}) {
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  const ipfsNetwork = { ...closed, ...network }
  writeFileSync(file, JSON.stringify({ ipfsNetwork, files: { idleMs: 30_000 }, ...more }))
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { server, ...filesClient(server) }
}

/** A router's line with this Kubo as provider. */
const recordOf = ({ peer, address }: Kubo): string =>
  JSON.stringify({
    Schema: 'peer',
    ID: peer,
    Addrs: [address.replace(/\/p2p\/.*/, '')],
    Protocols: ['transport-bitswap'],
  })

async function provideRoots({ cli }: Pick<Started, 'cli'>): Promise<void> {
  const { accounts } = (await cli('accounts', 'list')) as { accounts: [{ name: string }] }
  await cli('accounts', 'set', accounts[0].name, '--provide', 'roots')
}

async function peerIdOf({
  post,
}: Pick<Awaited<ReturnType<typeof start>>, 'post'>): Promise<string> {
  return ((await (await post('id')).json()) as { ID: string }).ID
}

/** A router's line with this server as provider over HTTP. */
async function httpRecordOf(cairn: Awaited<ReturnType<typeof start>>): Promise<string> {
  return JSON.stringify({
    Schema: 'peer',
    ID: await peerIdOf(cairn),
    Addrs: [`/ip4/127.0.0.1/tcp/${new URL(cairn.server.url).port}/http`],
    Protocols: ['transport-ipfs-gateway-http'],
  })
}

test('cat, get and pin/add of a file that only a peer of the settings has', limit, async (t) => {
  const kubo = await startKubo(t)
  const content = randomBytes(5 * mib)
  const cid = await kubo.add(content)
  const { post } = await start(t, { mode: 'fetch', peers: [kubo.address] })
  const cat = await post(`cat?arg=${cid}`)
  assert.equal(cat.status, 200, cat.status === 200 ? '' : await cat.text())
  assert.ok(Buffer.from(await cat.arrayBuffer()).equals(content))
  const pinned = await post(`pin/add?arg=${cid}`)
  assert.equal(await pinned.text(), `{"Pins":["${cid}"]}\n`)
  const other = await kubo.add(randomBytes(1000))
  const get = await post(`get?arg=${other}`)
  assert.ok((await get.arrayBuffer()).byteLength > 1000)
})

test('a file is found by a router, and a path below its root by the root', limit, async (t) => {
  const [kubo, router] = await Promise.all([startKubo(t), startRouter(t)])
  const content = randomBytes(mib)
  const root = await kubo.add(content, { 'wrap-with-directory': 'true' })
  const { post } = await start(t, { mode: 'fetch', routers: [router.url] })
  const list = await kubo.call('ls', { arg: root })
  const name = (JSON.parse(list) as { Objects: [{ Links: [{ Name: string }] }] }).Objects[0]
    .Links[0].Name
  router.answers.set('/routing/v1/providers/', { lines: [recordOf(kubo)] })
  const cat = await post(`cat?arg=${root}/${name}`)
  assert.ok(Buffer.from(await cat.arrayBuffer()).equals(content))
  const looked = router.requests.filter((line) => line.includes('/providers/'))
  assert.equal(new Set(looked).size, 1, looked.join(', '))
})

test('a file is found by the DHT, from a Kubo that was never named', limit, async (t) => {
  const [known, unnamed] = await Promise.all([startKubo(t), startKubo(t)])
  await unnamed.connect(known.address)
  const content = randomBytes(mib)
  const cid = await unnamed.add(content)
  await unnamed.call('routing/provide', { arg: cid })
  const { post } = await start(t, { mode: 'fetch', dht: 'client', bootstrap: [known.address] })
  await until(async () => {
    const peers = (await (await post('swarm/peers')).json()) as { Peers: unknown[] | null }
    assert.ok((peers.Peers ?? []).length > 0)
  }, 60_000)
  const cat = await post(`cat?arg=${cid}`)
  assert.ok(Buffer.from(await cat.arrayBuffer()).equals(content))
})

test('a read without a key, or offline, does not search the network', limit, async (t) => {
  const kubo = await startKubo(t)
  const cid = await kubo.add(randomBytes(1000), { 'cid-version': '1' })
  const { post, server, headers } = await start(
    t,
    { mode: 'fetch', peers: [kubo.address] },
    { gateway: { public: true } },
  )
  const open = `${server.url}/ipfs/${cid}?format=raw`
  assert.equal((await fetch(open)).status, 404)
  assert.equal((await post(`cat?arg=${cid}&offline=true`)).status, 500)
  const loop = { ...headers, 'cdn-loop': 'cairn' }
  assert.equal((await fetch(open, { headers: loop })).status, 404)
  assert.equal((await fetch(open, { headers })).status, 200)
})

test('Kubo reads a public file of Cairn, and a private one not', limit, async (t) => {
  const kubo = await startKubo(t)
  const listen = [`/ip4/127.0.0.1/tcp/${await freePort()}`]
  const { post, add, server } = await start(t, { mode: 'provide', listen })
  await provideRoots(server)
  const content = randomBytes(5 * mib)
  const cid = await add(content, 'raw-leaves=true&provide=true')
  const hidden = await add(randomBytes(1000), 'cid-version=1&provide=false')
  await kubo.connect(`${listen[0]}/p2p/${await peerIdOf({ post })}`)
  const read = await kubo.bytes('cat', { arg: cid })
  assert.ok(read.equals(content))
  await assert.rejects(kubo.bytes('cat', { arg: hidden, timeout: '3s' }))
})

test(
  'a pinned file is announced, and a Kubo that was never connected reads it',
  limit,
  async (t) => {
    const [known, reader] = await Promise.all([startKubo(t), startKubo(t)])
    await reader.connect(known.address)
    const listen = [`/ip4/127.0.0.1/tcp/${await freePort()}`]
    const { post, add, server } = await start(t, {
      mode: 'provide',
      listen,
      dht: 'client',
      bootstrap: [known.address],
    })
    await provideRoots(server)
    await hasPeers({ post })
    const content = randomBytes(mib)
    const cid = await add(content, 'raw-leaves=true')
    await until(async () => {
      const stat = (await (await post('provide/stat')).json()) as { Cairn: { done: number } }
      assert.ok(stat.Cairn.done > 0)
    }, 60_000)
    const found = await reader.call('routing/findprovs', { arg: cid })
    const { ID: peer } = (await (await post('id')).json()) as { ID: string }
    assert.ok(found.includes(peer))
    assert.ok((await reader.bytes('cat', { arg: cid })).equals(content))
  },
)

/** Resolves when the server has a peer. */
async function hasPeers({ post }: Pick<ReturnType<typeof filesClient>, 'post'>): Promise<void> {
  await until(async () => {
    const { Peers: peers } = (await (await post('swarm/peers')).json()) as {
      Peers: unknown[] | null
    }
    assert.ok((peers ?? []).length > 0)
  }, 60_000)
}

test('Kubo reads by the record alone, when the server has left the network', limit, async (t) => {
  const [known, reader] = await Promise.all([startKubo(t), startKubo(t)])
  await reader.connect(known.address)
  const [port, dataDir] = [await freePort(), await temporaryFolder()]
  const started: Awaited<ReturnType<typeof startCairn>>[] = []
  t.after(async () => {
    for (const each of started) await each.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const startIn = async (network: NetworkSettings) => {
    const file = join(dataDir, 'cairn.yaml')
    const ipfsNetwork = { ...closed, ...network }
    writeFileSync(file, JSON.stringify({ ipfsNetwork, gateway: { public: true } }))
    const server = await startCairn({ dataDir, args: ['--config', file, '--port', `${port}`] })
    started.push(server)
    return server
  }
  const server = await startIn({
    mode: 'provide',
    listen: ['/ip4/127.0.0.1/tcp/0'],
    announce: [`/ip4/127.0.0.1/tcp/${port}/http`],
    dht: 'client',
    bootstrap: [known.address],
  })
  await provideRoots(server)
  const { post, add } = filesClient(server)
  // Without a peer the announcement fails, and is repeated after a minute.
  await hasPeers({ post })
  const content = randomBytes(mib)
  const cid = await add(content, 'raw-leaves=true')
  await until(async () => {
    const stat = (await (await post('provide/stat')).json()) as { Cairn: { done: number } }
    assert.ok(stat.Cairn.done > 0)
  }, 60_000)
  await server.stop()
  await startIn({ mode: 'off' })
  assert.ok((await reader.bytes('cat', { arg: cid })).equals(content))
})

for (const [name, settings] of [
  ['with worker processes', { workers: 1 }],
  ['where accounts see their own content', { files: { isolation: 'own', idleMs: 30_000 } }],
] as const) {
  test(`a file of a peer is read ${name}`, limit, async (t) => {
    const kubo = await startKubo(t)
    const content = randomBytes(mib)
    const cid = await kubo.add(content)
    const { post } = await start(t, { mode: 'fetch', peers: [kubo.address] }, settings)
    const cat = await post(`cat?arg=${cid}`)
    assert.ok(Buffer.from(await cat.arrayBuffer()).equals(content))
  })
}

test('with a port that is taken, the server fetches and reports it', limit, async (t) => {
  const kubo = await startKubo(t)
  const cid = await kubo.add(Buffer.from('a block'))
  const [listen = ''] = kubo.address.split('/p2p/')
  const { post, server } = await start(t, {
    mode: 'provide',
    listen: [listen],
    peers: [kubo.address],
  })
  assert.equal(await (await post(`cat?arg=${cid}`)).text(), 'a block')
  assert.match(server.log(), /"network_not_listening"/)
})

test('a Kubo node as a source gives what it has', limit, async (t) => {
  const kubo = await startKubo(t)
  const content = randomBytes(mib)
  const cid = await kubo.add(content)
  const sources = [{ url: kubo.api, speaks: 'kubo' }]
  const { post } = await start(t, { mode: 'off' }, { files: { idleMs: 30_000, sources } })
  const cat = await post(`cat?arg=${cid}`)
  assert.ok(Buffer.from(await cat.arrayBuffer()).equals(content))
})

test('Kubo reads 100 MiB twice over HTTP, by a router, at default settings', limit, async (t) => {
  const router = await startRouter(t)
  const [kubo, cairn] = await Promise.all([
    startKubo(t, { routers: [router.url] }),
    start(t, { mode: 'off' }, { gateway: { public: true } }),
  ])
  const content = randomBytes(100 * mib)
  const cid = await cairn.add(content, 'raw-leaves=true')
  router.answers.set('/routing/v1/providers/', { lines: [await httpRecordOf(cairn)] })
  for (let round = 0; round < 2; round += 1) {
    const began = performance.now()
    assert.ok((await kubo.bytes('cat', { arg: cid })).equals(content))
    t.diagnostic(`${Math.round(performance.now() - began)} ms`)
    await kubo.empty()
  }
})

test(
  'Kubo reads a folder of 10,000 files from a HAMT of Cairn, by Bitswap and over HTTP',
  limit,
  async (t) => {
    const router = await startRouter(t)
    const listen = [`/ip4/127.0.0.1/tcp/${await freePort()}`]
    const [near, far, cairn] = await Promise.all([
      startKubo(t),
      startKubo(t, { routers: [router.url] }),
      start(t, { mode: 'provide', listen }, { gateway: { public: true } }),
    ])
    await provideRoots(cairn.server)
    const form = new FormData()
    for (let at = 0; at < 10_000; at += 1) {
      const name = `file ${at} of a folder whose list of names is long`
      form.append('file', new Blob([name]), `folder/${name}`)
    }
    const added = await cairn.post('add?cid-version=1&provide=true', form)
    // The folder comes last.
    const last = (await added.text()).trim().split('\n').at(-1) ?? ''
    const { Hash: root } = JSON.parse(last) as { Hash: string }
    const refsOf = async (kubo: Kubo) =>
      (await kubo.call('refs', { arg: root, recursive: 'true', unique: 'true' })).trim().split('\n')
    await near.connect(`${listen[0]}/p2p/${await peerIdOf(cairn)}`)
    const byBitswap = await refsOf(near)
    // The files, and the nodes of the HAMT.
    assert.ok(byBitswap.length > 10_010, `${byBitswap.length} blocks`)
    router.answers.set('/routing/v1/providers/', { lines: [await httpRecordOf(cairn)] })
    assert.deepEqual((await refsOf(far)).toSorted(), byBitswap.toSorted())
  },
)

test('the process is a child that ends with a server that is killed', onLinux, async (t) => {
  const { server, post } = await start(t, { mode: 'fetch' })
  await until(async () => {
    const bandwidth = await post('stats/bw')
    assert.equal(bandwidth.status, 200)
  }, 60_000)
  const children = childrenOf(server.child.pid)
  assert.equal(children.length, 1)
  const environment = readFileSync(`/proc/${children[0]}/environ`, 'utf8').split('\0')
  assert.deepEqual(
    environment.filter((one) => one !== '' && !one.startsWith('PATH=')),
    [],
  )
  await server.kill()
  await until(() => assert.throws(() => process.kill(Number(children[0]), 0)), 10_000)
})

/** Process IDs, as Linux lists them. */
function childrenOf(parent: number | undefined): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const [, rest = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')
      return rest.split(' ')[1] === String(parent)
    } catch {
      return false
    }
  })
}

test('a pin request finds its content at an origin that nothing else names', limit, async (t) => {
  const kubo = await startKubo(t)
  const cid = await kubo.add(randomBytes(mib))
  const listen = [`/ip4/127.0.0.1/tcp/${await freePort()}`]
  const { server } = await start(t, { mode: 'provide', listen })
  const psa = psaClient(server)
  const { requestid } = await psa.add({ cid, origins: [kubo.address] })
  const { status, delegates } = await psa.ends(requestid)
  assert.equal(status, 'pinned')
  // An address to which a client may send the content itself.
  assert.match(String(delegates), new RegExp(`^${listen[0]}/p2p/`))
})

test(
  'a name that Kubo published is resolved by the DHT, and Kubo resolves ours',
  limit,
  async (t) => {
    const [known, other] = await Promise.all([startKubo(t), startKubo(t)])
    await other.connect(known.address)
    const { post, add } = await start(
      t,
      { mode: 'fetch', dht: 'client', bootstrap: [known.address] },
      { ipns: { keys: true } },
    )
    await hasPeers({ post })
    const theirs = await other.add(randomBytes(100))
    await other.call('name/publish', { arg: theirs })
    // The DHT client knows a peer only some time after it is connected.
    await until(async () => {
      const resolved = await post(`name/resolve?arg=${other.peer}`)
      assert.deepEqual(await resolved.json(), { Path: `/ipfs/${theirs}` })
    }, 60_000)
    const ours = await add(randomBytes(100), 'cid-version=1')
    const { Id: name } = (await (await post('key/gen?arg=site')).json()) as { Id: string }
    assert.equal((await post(`name/publish?arg=${ours}&key=site`)).status, 200)
    await until(async () => {
      const reply = JSON.parse(await other.call('name/resolve', { arg: name })) as { Path: string }
      assert.equal(reply.Path, `/ipfs/${ours}`)
    }, 60_000)
  },
)

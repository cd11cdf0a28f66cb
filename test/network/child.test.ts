// The network process: its start and end, the content it serves, and the cost of misbehaving peers.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import { sha256Name } from '../../src/codec/ipld/multihash.ts'
import { fetchDag, fileDag } from '../fakes/dags.ts'
import { startFakeGateway } from '../fakes/files/file-source.ts'
import { hexOf, type NetChild, randomCid, startNetChild } from '../fakes/net-child.ts'
import { type Manner, type P2pPeer, startP2pPeer } from '../fakes/p2p-peer.ts'
import { startRouter } from '../fakes/router.ts'
import { until } from '../fakes/until.ts'

const limit = { timeout: 300_000 }
const withinMs = 30_000
const file = fileDag(randomBytes(1_000_000))

const peerOf = (child: NetChild): string => child.ready.peer

/** A raw block, its CID and its multihash. */
function blockOf(bytes: Uint8Array) {
  const multihash = sha256Name(bytes)
  return { bytes, cid: cidOf(1, rawCodec, multihash).bytes, key: hexOf(multihash) }
}

async function presences(peer: P2pPeer, count: number): Promise<readonly boolean[]> {
  const all = () => peer.messages.flatMap((message) => message.presences.map(({ have }) => have))
  await until(() => ok(all().length >= count, `${all().length} presences`), withinMs)
  return all()
}

const wantOf = (cid: Uint8Array, haveOnly = false) => ({
  cid,
  priority: 1,
  cancel: false,
  haveOnly,
})

test('it ends within a second after its socket ends, and without a word', limit, async (t) => {
  const child = await startNetChild(t)
  const began = systemClock.monotonic()
  child.socket.destroy()
  equal(await child.ended, 0)
  ok(systemClock.monotonic() - began < withinMs)
})

test('it ends at bytes that are no frame', limit, async (t) => {
  const child = await startNetChild(t)
  child.socket.write(Buffer.from([0, 0, 0, 5, 99, 0, 0, 0, 0]))
  equal(await child.ended, 1)
})

test('it has no open file but its socket and pipes, and PATH alone', limit, async (t) => {
  const child = await startNetChild(t)
  const folder = `/proc/${child.process.pid}`
  const files = readdirSync(`${folder}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/fd/${fd}`)]
    } catch {
      return []
    }
  })
  const regular = files.filter((name) => name.startsWith('/') && !name.startsWith('/dev/'))
  deepEqual(
    regular.filter((name) => !name.includes('/std')),
    [],
  )
  const names = readFileSync(`${folder}/environ`, 'utf8').split('\0')
  deepEqual(
    names.filter((one) => one !== '').map((one) => one.split('=')[0]),
    ['PATH'],
  )
})

test('a port that is taken: it states so, and fetches all the same', limit, async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const child = await startNetChild(t, { listen: [`/ip4/127.0.0.1/tcp/${port}`] })
  ok(child.ready.listenProblem !== null)
  const peer = await startP2pPeer(t, 'honest', file.blocks)
  const found = await fetchDag(child.open(file.root, [peer.address]), file.root)
  equal(found.size, file.blocks.size)
})

test('with mode fetch it listens nowhere, and answers wants with DONT_HAVE', limit, async (t) => {
  const peer = await startP2pPeer(t, 'honest', file.blocks)
  const child = await startNetChild(t, { mode: 'fetch' })
  deepEqual(child.ready.addrs, [])
  await fetchDag(child.open(file.root, [peer.address]), file.root)
  const block = blockOf(Buffer.from('here'))
  child.blocks.set(block.key, block.bytes)
  await peer.send(peerOf(child), { wants: [wantOf(block.cid), wantOf(randomCid(), true)] })
  deepEqual(await presences(peer, 2), [false, false])
  deepEqual(child.requestedBlocks, [])
})

async function connected(t: TestContext, manner: Manner = 'honest') {
  const [child, peer] = await Promise.all([startNetChild(t), startP2pPeer(t, manner)])
  await peer.connect(child.address)
  return { child, peer, to: peerOf(child) }
}

test('a peer gets blocks and presences; absent ones are answered at once', limit, async (t) => {
  const { child, peer, to } = await connected(t)
  const block = blockOf(randomBytes(1000))
  child.blocks.set(block.key, block.bytes)
  const wants = [wantOf(block.cid, true), wantOf(randomCid(), true), wantOf(randomCid())]
  await peer.send(to, { wants })
  equal((await presences(peer, 3)).filter(Boolean).length, 1)
  await peer.send(to, { wants: [wantOf(block.cid)] })
  await until(() => equal(peer.messages.flatMap(({ blocks }) => blocks).length, 1), withinMs)
})

test('a greedy peer costs its bound, and others are served meanwhile', limit, async (t) => {
  const { child, peer: greedy, to } = await connected(t)
  const other = await startP2pPeer(t)
  await other.connect(child.address)
  const wants = Array.from({ length: 10_000 }, () => wantOf(randomCid()))
  await greedy.send(to, { wants })
  const block = blockOf(randomBytes(100_000))
  child.blocks.set(block.key, block.bytes)
  await other.send(to, { wants: [wantOf(block.cid)] })
  await until(() => equal(other.messages.flatMap(({ blocks }) => blocks).length, 1), withinMs)
  const [wantlist] = await child.command({ name: 'bitswap/wantlist', arg: greedy.id })
  ok((wantlist as { Keys: unknown[] }).Keys.length <= 1024)
})

for (const manner of ['wrong', 'unwanted', 'huge'] as const) {
  test(`a ${manner} peer is excluded, and the honest one serves`, limit, async (t) => {
    const rogue = await startP2pPeer(t, manner)
    const honest = await startP2pPeer(t, 'honest', file.blocks)
    const child = await startNetChild(t)
    const session = child.open(file.root, [rogue.address, honest.address])
    const found = await fetchDag(session, file.root)
    equal(found.size, file.blocks.size)
    ok(
      child.frames.every(
        (frame) => frame.kind !== 'found' || file.blocks.has(hexOf(sha256Name(frame.bytes))),
      ),
    )
    if (rogue.wants().length === 0) return
    await until(() => equal(rogue.connections(), 0), withinMs)
    await rejects(child.command({ name: 'swarm/connect', arg: rogue.address }), /excluded/)
  })
}

test('beside peers that hang, leave or only boast, the honest one serves', limit, async (t) => {
  const manners = ['hanging', 'endless', 'leaving', 'boasting'] as const
  const rogues = await Promise.all(manners.map((manner) => startP2pPeer(t, manner)))
  const honest = await startP2pPeer(t, 'honest', file.blocks)
  const child = await startNetChild(t)
  const session = child.open(
    file.root,
    [...rogues, honest].map(({ address }) => address),
  )
  const found = await fetchDag(session, file.root)
  equal(found.size, file.blocks.size)
})

test(
  'a block that no named peer has is not found; without a router that is no absence',
  limit,
  async (t) => {
    const peer = await startP2pPeer(t, 'honest', file.blocks)
    const child = await startNetChild(t)
    const session = child.open(file.root, [peer.address])
    deepEqual(await session.fetch(randomCid()), { kind: 'failed', reason: 'noPeer' })
    deepEqual(await child.open(file.root).fetch(file.root), { kind: 'failed', reason: 'noPeer' })
  },
)

test('wants go to the peers of their session alone', limit, async (t) => {
  const stranger = await startP2pPeer(t, 'honest', file.blocks)
  const named = await startP2pPeer(t, 'honest', file.blocks)
  const child = await startNetChild(t)
  await stranger.connect(child.address)
  await fetchDag(child.open(file.root, [named.address]), file.root)
  deepEqual(stranger.wants(), [])
})

test('without credit it stops reading, and then loses nothing', limit, async (t) => {
  const large = fileDag(randomBytes(24 * 1024 * 1024))
  const peer = await startP2pPeer(t, 'honest', large.blocks)
  const child = await startNetChild(t, {}, { grantCredit: false })
  const session = child.open(large.root, [peer.address])
  for (const [key] of large.blocks) {
    const cid = cidOf(1, rawCodec, Buffer.from(key, 'hex')).bytes
    session.fetch(cid).catch(() => {})
  }
  const received = () =>
    child.frames.reduce((sum, frame) => sum + (frame.kind === 'found' ? frame.bytes.length : 0), 0)
  await until(() => ok(received() > 15 * 1024 * 1024), withinMs)
  const before = received()
  ok(before <= 16 * 1024 * 1024)
  child.grant(before)
  await until(() => ok(received() >= 24 * 1024 * 1024), withinMs)
})

test('commands report peers, traffic and what was exchanged', limit, async (t) => {
  const peer = await startP2pPeer(t, 'honest', file.blocks)
  const child = await startNetChild(t)
  await fetchDag(child.open(file.root, [peer.address]), file.root)
  const peers = (await child.command({ name: 'swarm/peers' })) as { Peer: string }[]
  deepEqual(
    peers.map(({ Peer }) => Peer),
    [peer.id],
  )
  const known = (await child.command({ name: 'swarm/addrs' })) as { ID: string }[]
  ok(known.some(({ ID }) => ID === peer.id))
  const [stat] = (await child.command({ name: 'bitswap/stat' })) as [{ BlocksReceived: number }]
  equal(stat.BlocksReceived, file.blocks.size)
  const [ledger] = (await child.command({ name: 'bitswap/ledger', arg: peer.id })) as [
    { Recv: number },
  ]
  ok(ledger.Recv >= 1_000_000)
  const [bandwidth] = (await child.command({ name: 'stats/bw' })) as [{ TotalIn: number }]
  ok(bandwidth.TotalIn >= 1_000_000)
  await child.command({ name: 'swarm/disconnect', arg: peer.id })
  await until(() => equal(peer.connections(), 0), withinMs)
  await rejects(child.command({ name: 'swarm/connect', arg: 'nonsense' }), /invalid peer address/)
  await until(() => ok((child.counts()?.bytesReceived ?? 0) >= 1_000_000), withinMs)
})

const routerRecord = (id: string, address: string): string =>
  JSON.stringify({ Schema: 'peer', ID: id, Addrs: [address] })

test(
  'a router that is set while it runs is asked, and names a gateway or a peer',
  limit,
  async (t) => {
    const peer = await startP2pPeer(t, 'honest', file.blocks)
    const gateway = await startFakeGateway(t, new Map(file.blocks))
    const { port } = new URL(gateway.url)
    const child = await startNetChild(t, { mode: 'fetch' })
    deepEqual(await child.open(file.root).fetch(file.root), { kind: 'failed', reason: 'noPeer' })
    const limits = { connectionsMax: 256, bytesPerSecondMax: 0 }
    const find = async (line: string) => {
      const { url } = await startRouter(t, { lines: [line] })
      child.send({ kind: 'live', id: 0, message: { routers: [url], peers: [], limits } })
      equal((await fetchDag(child.open(file.root), file.root)).size, file.blocks.size)
    }
    await find(routerRecord(peer.id, peer.address))
    const before = peer.wants().length
    await find(routerRecord(peer.id, `/ip4/127.0.0.1/tcp/${port}/http`))
    equal(peer.wants().length, before)
    const absent = await startRouter(t)
    child.send({ kind: 'live', id: 0, message: { routers: [absent.url], peers: [], limits } })
    deepEqual(await child.open(file.root).fetch(randomCid()), { kind: 'none' })
  },
)

test('id describes a peer that identified itself, and no other', limit, async (t) => {
  const [child, other] = [await startNetChild(t), await startNetChild(t)]
  await child.command({ name: 'swarm/connect', arg: other.address })
  const [own] = await other.command({ name: 'id' })
  await until(async () => {
    deepEqual(await child.command({ name: 'id', arg: other.ready.peer }), [own])
  }, withinMs)
  const absent = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'
  await rejects(child.command({ name: 'id', arg: absent }), /routing: not found/)
  await rejects(child.command({ name: 'id', arg: 'nonsense' }), /invalid peer address/)
  const wantlist = (arg: string) => child.command({ name: 'bitswap/wantlist', arg })
  await rejects(wantlist('nonsense'), /invalid peer address/)
  // Wants must not be visible to every account.
  deepEqual(await wantlist(child.ready.peer), [null])
})

test("the operator's peers are connected, and asked in every session", limit, async (t) => {
  const peer = await startP2pPeer(t, 'honest', file.blocks)
  const child = await startNetChild(t, { mode: 'fetch', peers: [peer.address] })
  await until(() => equal(peer.connections(), 1), withinMs)
  equal((await fetchDag(child.open(file.root), file.root)).size, file.blocks.size)
  const [peers] = await child.command({ name: 'swarm/peering/ls' })
  ok(JSON.stringify(peers).includes(peer.id))
})

for (const [connectionsMax, expected] of [
  [256, 4],
  [2, 2],
] as const) {
  test(
    `with ${connectionsMax} connections, an address has at most ${expected}`,
    limit,
    async (t) => {
      const peers = await Promise.all(Array.from({ length: 6 }, () => startP2pPeer(t)))
      const limits = { connectionsMax, bytesPerSecondMax: 0 }
      const child = await startNetChild(t, { limits })
      await Promise.allSettled(peers.map((peer) => peer.connect(child.address)))
      await until(async () => {
        equal((await child.command({ name: 'swarm/peers' })).length, expected)
      }, withinMs)
    },
  )
}

test('a lower limit of connections counts at once', limit, async (t) => {
  const [first, second, third] = await Promise.all([
    startP2pPeer(t),
    startP2pPeer(t),
    startP2pPeer(t),
  ])
  const child = await startNetChild(t, { limits: { connectionsMax: 256, bytesPerSecondMax: 0 } })
  const peers = async () => (await child.command({ name: 'swarm/peers' })).length
  await Promise.all([first.connect(child.address), second.connect(child.address)])
  await until(async () => equal(await peers(), 2), withinMs)
  const limits = { connectionsMax: 2, bytesPerSecondMax: 0 }
  child.send({ kind: 'live', id: 0, message: { routers: [], peers: [], limits } })
  await child.command({ name: 'swarm/peers' })
  await rejects(third.connect(child.address))
  equal(await peers(), 2)
})

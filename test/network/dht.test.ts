// The network process and real Kubo nodes that find each other only by routing, without manual connections.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decodeCid } from '../../src/codec/ipld/cid.ts'
import { missingKubo, startKubo } from '../engines/kubo.ts'
import { fetchDag, fileDag } from '../fakes/dags.ts'
import { cidBytes, startNetChild } from '../fakes/net-child.ts'
import { startRouter } from '../fakes/router.ts'
import { until } from '../fakes/until.ts'

const skip = missingKubo()
const limit = { skip, timeout: 300_000 }
const withinMs = 60_000

test('blocks are found by DHT and provided to it, records of IPNS too', limit, async (t) => {
  const [kubo, hub, other] = await Promise.all([startKubo(t), startKubo(t), startKubo(t)])
  // Only the hub knows both: they find each other through it.
  await Promise.all([kubo.connect(hub.address), other.connect(hub.address)])
  const child = await startNetChild(t, { dht: 'client', bootstrap: [hub.address] })
  await until(() => ok((child.counts()?.dhtPeers ?? 0) > 0, 'no DHT peer'), withinMs)

  const content = randomBytes(300_000)
  const root = await kubo.add(content, { 'cid-version': '1' })
  await kubo.call('routing/provide', { arg: root })
  const found = await fetchDag(child.open(root), root)
  equal(found.size, 3)
  deepEqual(await child.open(root).fetch(fileDag(randomBytes(9)).root), { kind: 'none' })

  const own = fileDag(randomBytes(300_000))
  for (const [key, block] of own.blocks) child.blocks.set(key, block)
  const multihash = decodeCid(cidBytes(own.root))?.multihash.bytes ?? Buffer.alloc(0)
  deepEqual(await child.provide([multihash]), [0])
  const read = await other.bytes('cat', { arg: own.root })
  equal(read.length, 300_000)

  const providers = await child.command({ name: 'routing/findprovs', arg: root, max: 20 })
  ok(JSON.stringify(providers).includes(kubo.peer))
  const [peer] = await child.command({ name: 'routing/findpeer', arg: kubo.peer })
  ok(JSON.stringify(peer).includes(kubo.peer))

  const published = JSON.parse(
    await kubo.call('name/publish', { arg: `/ipfs/${root}`, 'allow-offline': 'true' }),
  ) as { Name: string }
  const name = `/ipns/${published.Name}`
  const [record] = (await child.command({ name: 'routing/get', arg: name })) as [{ Extra: string }]
  ok(Buffer.from(record.Extra, 'base64').includes(`/ipfs/${root}`))
  await child.command({ name: 'routing/put', arg: name, record: record.Extra })
})

test('blocks are found by a router, and by hints', limit, async (t) => {
  const kubo = await startKubo(t)
  const content = randomBytes(600_000)
  const root = await kubo.add(content, { 'cid-version': '1' })
  const lines = [JSON.stringify({ Schema: 'peer', ID: kubo.peer, Addrs: [kubo.address] })]
  const router = await startRouter(t, { lines })
  const child = await startNetChild(t, { mode: 'fetch', routers: [router.url] })
  equal((await fetchDag(child.open(root), root)).size, 4)
  ok(router.requests.length > 0)
  const hinted = await startNetChild(t, { mode: 'fetch' })
  equal((await fetchDag(hinted.open(root, [kubo.address]), root)).size, 4)
})

// The times of a pin's last and next announcement in the admin API.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { parseCid } from '../../src/codec/ipld/cid.ts'
import { startDhtServers } from '../fakes/dht-servers.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { startRouter } from '../fakes/router.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { until } from '../fakes/until.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const withinMs = 90_000

type Pin = { readonly announcedAt: number | null; readonly announcesAt: number | null }

test(
  'the list of pins states the last announcement, and the next',
  { timeout: 300_000 },
  async (t) => {
    const [peers, router, failing] = await Promise.all([
      startDhtServers(t, 3),
      startRouter(t),
      startRouter(t, { status: 500 }),
    ])
    const dataDir = await temporaryFolder()
    const file = join(dataDir, 'cairn.yaml')
    const ipfsNetwork = {
      mode: 'provide',
      private: true,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      routers: [router.url, failing.url],
      bootstrap: peers.map(({ address }) => address),
    }
    writeFileSync(file, JSON.stringify({ ipfsNetwork }))
    const server = await startCairn({ dataDir, args: ['--config', file] })
    t.after(async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    })
    const operator = await takeFirstRun(server)
    const ask = async (...args: Parameters<typeof operator.ask>) => {
      const { status, message, body } = await operator.ask(...args)
      equal(status, 200, message)
      return body
    }
    const { accounts } = (await ask('GET', '/accounts')) as { accounts: [{ id: string }] }
    const account = `/accounts/${accounts[0].id}`
    const firstPin = async () => {
      const { pins } = (await ask('GET', `${account}/files`)) as { pins: Pin[] }
      return pins[0] ?? { announcedAt: null, announcesAt: null }
    }
    await until(
      async () => ok(Number((await ask('GET', '/ipfs-network'))['dhtPeers']) > 0),
      withinMs,
    )
    await ask('PUT', `${account}/provide`, { provide: 'roots' })
    const began = Date.now()
    const cid = await filesClient(server).add(Buffer.from('for anyone'))
    await until(async () => ok((await firstPin()).announcedAt), withinMs)
    const { announcedAt, announcesAt } = await firstPin()
    ok(announcedAt !== null && announcedAt >= began && announcedAt <= Date.now())
    // After half an interval of 22 hours to a whole one.
    ok(announcesAt !== null && announcesAt > announcedAt + 10 * 3_600_000)
    const multihash = parseCid(cid)?.multihash.bytes ?? new Uint8Array(0)
    const found = async (announcement: string) =>
      (await ask('GET', `${account}/files?announcement=${announcement}`))['found']
    deepEqual([await found('announced'), await found('waiting'), await found('none')], [1, 0, 0])
    ok((await Promise.all(peers.map((peer) => peer.providersOf(multihash)))).flat().length > 0)

    const byRouter = async () => {
      const { checks } = (await ask('GET', `${account}/files/${cid}/providers`)) as {
        checks: { by: string; answered: number; listed: number }[]
      }
      const [one, two, dht] = checks
      deepEqual(two, { by: new URL(failing.url).host, answered: 0, listed: 0 })
      ok(dht?.by === 'DHT' && dht.listed > 0 && dht.listed <= dht.answered)
      ok(one?.by === new URL(router.url).host && one.answered === 1)
      return one.listed
    }
    equal(await byRouter(), 0)
    const { peer } = await ask('GET', '/ipfs-network')
    const provider = { Schema: 'peer', ID: peer, Addrs: [] }
    router.answers.set('/routing/v1/providers/', { lines: [JSON.stringify(provider)] })
    equal(await byRouter(), 1)

    const early = await operator.ask('POST', `${account}/files/${cid}/announcement`, {})
    deepEqual([early.status, early.message], [409, 'the pin was announced less than a minute ago'])
    const database = new DatabaseSync(join(dataDir, 'cairn.db'), { timeout: 5_000 })
    database.exec('UPDATE provide SET announced = announced - 60000')
    database.close()
    await ask('POST', `${account}/files/${cid}/announcement`, {})
    await until(async () => ok(Number((await firstPin()).announcedAt) >= announcedAt), withinMs)
    await ask('PATCH', `${account}/files/${cid}`, { provide: 'none' })
    const before = router.requests.length
    const again = await operator.ask('POST', `${account}/files/${cid}/announcement`, {})
    equal(again.status, 400)
    const refused = await operator.ask('GET', `${account}/files/${cid}/providers`)
    deepEqual([refused.status, router.requests.length], [400, before])
    const { announcedAt: last, announcesAt: next } = await firstPin()
    deepEqual([last, next], [null, null])
    deepEqual([await found('announced'), await found('waiting'), await found('none')], [0, 0, 1])
  },
)

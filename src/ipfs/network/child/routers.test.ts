import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Answer, startRouter } from '../../../../test/fakes/router.ts'
import { systemClock } from '../../../base/clock.ts'
import { cidOf, parseCid, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import { type Provider, providerName } from './block-peer.ts'
import {
  addressesMax,
  createRouters,
  gatewayUrl,
  ipnsBytesMax,
  providersOf,
  routerLimits,
} from './routers.ts'

const peer = 'QmSnuWmxptJZdLJpKRarxBMS2Ju2oANVrgbr2xWbie9b2D'
const cid = parseCid('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
const never = new AbortController().signal
const record = (addrs: readonly string[], id = peer) =>
  JSON.stringify({ Schema: 'peer', ID: id, Addrs: addrs, Protocols: ['transport-bitswap'] })

async function find(t: TestContext, ...answers: readonly Answer[]) {
  const urls = await Promise.all(answers.map(async (answer) => (await startRouter(t, answer)).url))
  const routers = createRouters(urls, systemClock)
  t.after(() => routers.replace([]))
  const found: Provider[] = []
  const take = (provider: Provider) => void found.push(provider)
  if (cid === null) throw new Error('no CID')
  const whole = await routers.findProviders(cid, take, never)
  return { routers, found: found.map(providerName), whole, take }
}

test('providers are read as they come, and unknown schemas are left out', async (t) => {
  const lines = [
    record(['/ip4/192.0.2.1/tcp/4001']),
    '{"Schema":"other","ID":"x"}',
    'no JSON',
    record(
      ['/dns4/gw.example.org/tcp/443/https'],
      'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N',
    ),
  ]
  const { found, whole } = await find(t, { lines })
  deepEqual(found, [peer, 'https://gw.example.org'])
  ok(whole)
})

test('one JSON object with Providers is read as well', async (t) => {
  const lines = [`{"Providers":[${record(['/ip4/192.0.2.1/tcp/1'])}]}`]
  deepEqual((await find(t, { lines })).found, [peer])
})

test('a reply is cached, an absence too, and both count as answers', async (t) => {
  const router = await startRouter(t, { lines: [record([])] })
  const absent = await startRouter(t, { status: 404 })
  const routers = createRouters([router.url, absent.url], systemClock)
  t.after(() => routers.replace([]))
  if (cid === null) throw new Error('no CID')
  for (let time = 0; time < 5; time++) ok(await routers.findProviders(cid, () => {}, never))
  deepEqual([router.requests.length, absent.requests.length], [1, 1])
})

test('a slow, failing or cut router leaves the answer open, and the others count', async (t) => {
  const lines = [record(['/ip4/192.0.2.1/tcp/4001'])]
  for (const bad of [{ status: 500 }, { hang: true }, { cut: true }]) {
    const { found, whole } = await find(t, bad, { lines })
    deepEqual(found, [peer], JSON.stringify(bad))
    equal(whole, false, JSON.stringify(bad))
  }
})

test('an endless reply is read up to its limits', async (t) => {
  const many = await find(t, { endless: `${record(['/ip4/192.0.2.1/tcp/4001'])}\n` })
  ok(many.found.length >= routerLimits.recordsMax && many.found.length < 10_000)
  const large = await find(t, { endless: 'x'.repeat(65_536) })
  deepEqual(large.found, [])
})

test('a cache that is full forgets the oldest reply', async (t) => {
  const router = await startRouter(t, { lines: [record([])] })
  const routers = createRouters([router.url], systemClock, 2)
  t.after(() => routers.replace([]))
  const ask = async (at: number): Promise<number> => {
    await routers.findProviders(cidOf(1, rawCodec, sha256Name(Buffer.from([at]))), () => {}, never)
    return router.requests.length
  }
  deepEqual([await ask(1), await ask(2), await ask(2), await ask(1)], [1, 2, 2, 2])
  deepEqual([await ask(3), await ask(2), await ask(1)], [3, 3, 4])
})

test('of a provider, 32 addresses of at most 512 characters count', async (t) => {
  const many = Array.from({ length: addressesMax + 3 }, (_, at) => `/ip4/192.0.2.1/tcp/${at + 1}`)
  const [provider] = providersOf({ Schema: 'peer', ID: peer, Addrs: many })
  equal(provider?.kind === 'peer' && provider.addresses.length, addressesMax)
  const long = `/dns4/${'a'.repeat(512)}.example/tcp/1`
  deepEqual(providersOf({ Schema: 'peer', ID: peer, Addrs: [long] }), [
    { kind: 'peer', peer, addresses: [] },
  ])
  const router = await startRouter(t, { lines: [record(many), record(many.toReversed())] })
  const routers = createRouters([router.url], systemClock)
  t.after(() => routers.replace([]))
  equal((await routers.findPeer(peer, never)).length, addressesMax)
})

test('an IPNS record over 10 KiB is none', async (t) => {
  const [fits, large] = await Promise.all(
    [ipnsBytesMax, ipnsBytesMax + 1].map((bytes) => startRouter(t, { body: Buffer.alloc(bytes) })),
  )
  const routers = createRouters([fits?.url ?? '', large?.url ?? ''], systemClock)
  t.after(() => routers.replace([]))
  const records = await routers.getIpns('k51name', never)
  deepEqual(
    records.map(({ length }) => length),
    [ipnsBytesMax],
  )
})

test('addresses of HTTP are gateways', () => {
  equal(gatewayUrl('/dns4/gw.example.org/tcp/443/tls/http'), 'https://gw.example.org')
  equal(
    gatewayUrl('/dns/gw.example.org/tcp/8443/tls/sni/x.org/http'),
    'https://gw.example.org:8443',
  )
  equal(gatewayUrl('/ip6/::1/tcp/80/http'), 'http://[::1]')
  equal(gatewayUrl('/ip4/192.0.2.1/tcp/4001'), null)
  equal(gatewayUrl('/ip4/192.0.2.1/tcp/4001/ws'), null)
  for (const bad of [null, 1, {}, { Schema: 'peer', ID: '../x' }]) deepEqual(providersOf(bad), [])
})

test('IPNS records are fetched and stored as bytes', async (t) => {
  const router = await startRouter(t, { body: Buffer.from('record') })
  const routers = createRouters([router.url], systemClock)
  t.after(() => routers.replace([]))
  const [bytes] = await routers.getIpns('k51name', never)
  equal(Buffer.from(bytes ?? []).toString(), 'record')
  ok(await routers.putIpns('k51name', Buffer.from('new'), never))
  equal(router.requests.at(-1), 'PUT /routing/v1/ipns/k51name new')
})

import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { platform } from 'node:os'
import { type TestContext, test } from 'node:test'
import { type Manner, startFakeGateway } from '../../../../test/fakes/files/file-source.ts'
import { until } from '../../../../test/fakes/until.ts'
import { systemClock } from '../../../base/clock.ts'
import { toBareHex } from '../../../base/hex.ts'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import {
  concurrency,
  createHttpProviders,
  gatewaysMax,
  isAllowedGateway,
} from './http-providers.ts'

const bytes = randomBytes(1000)
const multihash = sha256Name(bytes)
const cid = cidOf(1, rawCodec, multihash).bytes

async function rig(t: TestContext, manner: Manner | null) {
  const gateway = await startFakeGateway(t, new Map([[toBareHex(multihash), bytes]]))
  const answers: (number | null)[] = []
  const lied: string[] = []
  const providers = createHttpProviders({
    clock: systemClock,
    isPrivate: true,
    answered: (_name, _cid, block) => void answers.push(block?.length ?? null),
    sentInvalid: (name) => void lied.push(name),
  })
  const peer = await providers.open(gateway.url)
  if (manner !== null) gateway.manner = manner
  return { gateway, providers, peer, answers, lied }
}

test('a gateway is a peer that sends blocks', async (t) => {
  const { peer, answers, providers } = await rig(t, null)
  peer?.want(cid, true)
  peer?.want(cid, false)
  await until(() => deepEqual(answers, [1000]), 30_000)
  equal(providers.blocksReceived, 1)
})

test('a gateway that has no block, or fails, is like a peer without it', async (t) => {
  const { peer, answers, gateway, lied } = await rig(t, 'absent')
  peer?.want(cid, false)
  await until(() => deepEqual(answers, [null]), 30_000)
  gateway.manner = 'failing'
  peer?.want(cid, false)
  await until(() => deepEqual(answers, [null, null]), 30_000)
  deepEqual(lied, [])
})

test('a gateway that sends other bytes is left for ten minutes', async (t) => {
  const { peer, answers, lied, providers, gateway } = await rig(t, 'wrong')
  peer?.want(cid, false)
  await until(() => deepEqual(answers, [null]), 30_000)
  deepEqual(lied, [gateway.url])
  equal(await providers.open(gateway.url), null)
})

test('a gateway gets at most 16 requests at a time', async (t) => {
  const { peer, answers, gateway } = await rig(t, null)
  const release = gateway.hold()
  const count = 3 * concurrency
  for (let at = 0; at < count; at += 1) {
    peer?.want(cidOf(1, rawCodec, sha256Name(Buffer.from([at]))).bytes, false)
  }
  await until(() => equal(gateway.concurrentMax, concurrency), 30_000)
  release()
  await until(() => equal(answers.length, count), 30_000)
  equal(gateway.concurrentMax, concurrency)
})

const skip =
  platform() === 'linux' ? false : 'left out: only Linux has all addresses of 127.0.0.0/8'

test(
  'the 100 gateways that were used last are known, and others are probed again',
  { skip },
  async (t) => {
    const probed: string[] = []
    const server = createServer((request, response) => {
      probed.push(request.headers.host ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const urlOf = (at: number): string => `http://127.0.1.${at}:${port}`
    const providers = createHttpProviders({
      clock: systemClock,
      isPrivate: true,
      answered: () => {},
      sentInvalid: () => {},
    })
    for (let at = 1; at <= gatewaysMax + 1; at += 1) await providers.open(urlOf(at))
    equal(new Set(probed).size, gatewaysMax + 1)
    const before = probed.length
    await providers.open(urlOf(2))
    equal(probed.length, before)
    await providers.open(urlOf(1))
    equal(probed.at(-1), new URL(urlOf(1)).host)
    equal(probed.length, before + 1)
  },
)

test('only public hosts are asked, over HTTPS, unless the network is private', () => {
  for (const url of ['https://gw.example.org', 'https://1.1.1.1', 'https://gw.example.org:8443']) {
    ok(isAllowedGateway(url, false), url)
  }
  for (const url of [
    'http://gw.example.org',
    'https://127.0.0.1',
    'https://[::1]',
    'https://169.254.169.254',
    'https://localhost',
    'https://gw.example.org:22',
    'https://user:word@gw.example.org',
  ]) {
    ok(!isAllowedGateway(url, false), url)
  }
  ok(isAllowedGateway('http://127.0.0.1:8080', true))
})

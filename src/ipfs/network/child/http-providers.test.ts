import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Manner, startFakeGateway } from '../../../../test/fakes/files/file-source.ts'
import { until } from '../../../../test/fakes/until.ts'
import { systemClock } from '../../../base/clock.ts'
import { toBareHex } from '../../../base/hex.ts'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import { createHttpProviders, isAllowedGateway } from './http-providers.ts'

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

import { deepEqual, equal, ok } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import {
  createBitswapClient,
  requestedMax,
  sessionsMax,
  wantsMax,
  wantsPerMessageMax,
} from './bitswap-client.ts'
import { type BitswapMessage, createMessageReader, decodeMessage } from './bitswap-message.ts'
import type { Provider } from './block-peer.ts'

const blockNumber = (number: number) => {
  const bytes = Buffer.from(`block ${number}`)
  const multihash = sha256Name(bytes)
  return { bytes, multihash, cid: cidOf(1, rawCodec, multihash).bytes }
}
const root = blockNumber(0).cid
const providers = (...names: readonly string[]): readonly Provider[] =>
  names.map((peer) => ({ kind: 'peer', peer, addresses: [] }))

async function rig(peers: readonly string[] = ['a']) {
  const found: number[] = []
  const failed: string[] = []
  const excluded: string[] = []
  const client = createBitswapClient({
    clock: createManualClock(),
    found: (id) => void found.push(id),
    failed: (id, reason) => void failed.push(`${id} ${reason}`),
    lookUp: async () => true,
    dial: async () => {},
    openGateway: async () => null,
    wake: () => {},
    exclude: (peer) => void excluded.push(peer),
    operatorPeers: () => [],
  })
  client.open(1, root, providers(...peers))
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  const deliver = (peer: string, ...numbers: readonly number[]) =>
    client.receive(peer, {
      full: false,
      wants: [],
      presences: [],
      blocks: numbers.map(blockNumber),
    })
  return { client, found, failed, excluded, deliver }
}

function read(bytes: Uint8Array | null): BitswapMessage | null {
  const found: BitswapMessage[] = []
  const take = (message: Uint8Array) => void found.push(decodeMessage(message))
  if (bytes !== null) createMessageReader({ add: () => {} }, take).push(bytes)
  return found[0] ?? null
}

test('wants leave in one message, and a block ends each want for it', async () => {
  const { client, found, deliver } = await rig()
  client.open(2, root, providers('a'))
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  client.want(10, 1, blockNumber(1).cid)
  client.want(11, 2, blockNumber(1).cid)
  client.want(12, 1, blockNumber(2).cid)
  equal(read(client.next('a'))?.wants.length, 2)
  equal(client.next('a'), null)
  deliver('a', 1)
  deepEqual(found, [10, 11])
  equal(client.counts.wants, 1)
})

test('a message has at most 512 wants, and the rest follow', async () => {
  const { client } = await rig()
  const sessions = Array.from({ length: 20 }, (_, at) => at + 2)
  for (const session of sessions) client.open(session, root, providers('a'))
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  let id = 0
  for (const session of sessions) {
    for (let want = 0; want < 32; want++) client.want((id += 1), session, blockNumber(id).cid)
  }
  equal(read(client.next('a'))?.wants.length, wantsPerMessageMax)
  equal(read(client.next('a'))?.wants.length, id - wantsPerMessageMax)
  equal(client.next('a'), null)
})

test('of a peer, the last 4,096 requested blocks are known when they come late', async () => {
  const { client, excluded, deliver } = await rig()
  for (let id = 1; id <= requestedMax + 1; id++) {
    client.want(id, 1, blockNumber(id).cid)
    client.next('a')
    client.drop(id)
    client.next('a')
  }
  deliver('a', 2)
  equal(client.counts.duplicatesReceived, 1)
  deepEqual(excluded, [])
  deliver('a', 1)
  deepEqual(excluded, ['a'])
})

test('a block that was never wanted is an invalid reply, and excludes its peer', async () => {
  const { client, found, excluded, deliver } = await rig(['a', 'b'])
  client.want(10, 1, blockNumber(1).cid)
  client.next('a')
  deliver('a', 7, 1)
  deepEqual(found, [])
  deepEqual(excluded, ['a'])
  equal(client.counts.lies, 1)
})

test('a block that crosses its cancel is a duplicate', async () => {
  const { client, found, excluded, deliver } = await rig()
  client.want(10, 1, blockNumber(1).cid)
  client.next('a')
  client.drop(10)
  equal(read(client.next('a'))?.wants[0]?.cancel, true)
  deliver('a', 1)
  deepEqual([found, excluded], [[], []])
  equal(client.counts.duplicatesReceived, 1)
})

test('a want that two sessions share is taken back by the last of them', async () => {
  const { client } = await rig()
  client.open(2, root, providers('a'))
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  client.want(10, 1, blockNumber(1).cid)
  client.want(11, 2, blockNumber(1).cid)
  client.next('a')
  client.drop(10)
  equal(client.next('a'), null)
  client.drop(11)
  equal(read(client.next('a'))?.wants[0]?.cancel, true)
})

test('wants over the limit, and of sessions that are not open, are refused as busy', async () => {
  const { client, failed } = await rig()
  client.want(1, 99, blockNumber(1).cid)
  deepEqual(failed, ['1 busy'])
  for (let id = 2; id < wantsMax + 3; id++) client.want(id, 1, blockNumber(id).cid)
  equal(client.counts.wants, wantsMax)
  equal(failed.at(-1), `${wantsMax + 2} busy`)
  client.shut(1)
  equal(client.counts.wants, 0)
})

test('there are at most 256 sessions', async () => {
  const { client } = await rig()
  for (let id = 2; id < 400; id++) client.open(id, root, [])
  equal(client.counts.sessions, sessionsMax)
})

test('a peer that leaves is asked nothing more', async () => {
  const { client, failed } = await rig()
  client.want(10, 1, blockNumber(1).cid)
  client.disconnected('a')
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  equal(client.next('a'), null)
  ok(failed[0]?.startsWith('10 '), failed.join())
})

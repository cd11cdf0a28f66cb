import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { cidOf, decodeCid, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import { type BitswapMessage, createMessageReader, decodeMessage } from './bitswap-message.ts'
import {
  createBitswapServer,
  presencesPerMessageMax,
  serverLimits,
  type ServerParts,
} from './bitswap-server.ts'

const cidNumber = (number: number): Uint8Array =>
  cidOf(1, rawCodec, sha256Name(Buffer.from(`${number}`))).bytes

const wantOf = (number: number, options: { haveOnly?: boolean; cancel?: boolean } = {}) => {
  const cid = cidNumber(number)
  const multihash = decodeCid(cid)?.multihash.bytes ?? cid
  const { haveOnly = false, cancel = false } = options
  return { cid, multihash, haveOnly, cancel, sendDontHave: true }
}

type Ask = { id: number; sizeOnly: boolean; multihash: Uint8Array }

function rig(parts: Partial<ServerParts> = {}) {
  const clock = createManualClock()
  const asks: Ask[] = []
  const server = createBitswapServer({
    mode: 'provide',
    ask: (id, multihash, sizeOnly) => void asks.push({ id, sizeOnly, multihash }),
    wake: () => {},
    clock,
    bytesPerSecondMax: 0,
    limits: serverLimits,
    ...parts,
  })
  /** Answers all pending asks with blocks of that size. */
  const answerAll = (size: number, only: 'sizes' | 'all' = 'all') => {
    const rest: typeof asks = []
    for (let one = asks.shift(); one !== undefined; one = asks.shift()) {
      if (one.sizeOnly) server.size(one.id, size)
      else if (only === 'sizes') rest.push(one)
      else server.here(one.id, Buffer.alloc(size, 1))
    }
    asks.push(...rest)
  }
  return { clock, asks, server, answerAll }
}

function messagesFor(bytes: Uint8Array | null): BitswapMessage {
  const found: BitswapMessage[] = []
  const take = (message: Uint8Array) => void found.push(decodeMessage(message))
  if (bytes !== null) createMessageReader({ add: () => {} }, take).push(bytes)
  return found[0] ?? { full: false, wants: [], blocks: [], presences: [] }
}

test('presences leave ahead of blocks, from the sizes alone', () => {
  const { server, asks, answerAll } = rig()
  server.receive('a', [wantOf(1)], false)
  answerAll(1000)
  answerAll(1000)
  server.receive('a', [wantOf(2, { haveOnly: true }), wantOf(3)], false)
  const [have, absent] = asks as [Ask, Ask]
  server.notHere(absent.id)
  server.size(have.id, 5)
  deepEqual(
    messagesFor(server.next('a')).presences.map((one) => one.have),
    [false, true],
  )
  equal(messagesFor(server.next('a')).blocks.length, 1)
  equal(server.next('a'), null)
})

test('a message has at most 1,024 presences, and the last 2,048 that wait are sent', () => {
  const { server } = rig({ mode: 'fetch' })
  const wants = Array.from({ length: 3000 }, (_, number) => wantOf(number))
  server.receive('a', wants, false)
  const counts = [1, 2, 3].map(() => messagesFor(server.next('a')).presences.length)
  deepEqual(counts, [presencesPerMessageMax, presencesPerMessageMax, 0])
})

test('a message of blocks leaves at 64 KiB, or with all that was asked for', () => {
  const { server, asks, answerAll } = rig()
  const wants = Array.from({ length: 20 }, (_, number) => wantOf(number))
  server.receive('a', wants, false)
  answerAll(10_000, 'sizes')
  const [first] = asks as [Ask]
  asks.shift()
  server.here(first.id, Buffer.alloc(10_000))
  equal(server.next('a'), null)
  answerAll(10_000)
  equal(messagesFor(server.next('a')).blocks.length, 7)
  equal(messagesFor(server.next('a')).blocks.length, 7)
  equal(messagesFor(server.next('a')).blocks.length, 6)
})

test('a peer has at most 1 MiB in flight, or one block', () => {
  const { server, asks, answerAll } = rig()
  server.receive(
    'a',
    Array.from({ length: 100 }, (_, number) => wantOf(number)),
    false,
  )
  answerAll(100_000, 'sizes')
  equal(asks.length, 10)
  answerAll(100_000)
  server.next('a')
  equal(asks.length, 1)
  const large = rig()
  large.server.receive('a', [wantOf(1), wantOf(2)], false)
  large.answerAll(3_000_000, 'sizes')
  equal(large.asks.length, 1)
})

test('all peers together are bounded, and go on when memory is free', () => {
  const limits = { ...serverLimits, allBytesInFlightMax: 250_000 }
  const { server, asks, answerAll } = rig({ limits })
  for (const peer of ['a', 'b', 'c']) server.receive(peer, [wantOf(1)], false)
  answerAll(100_000, 'sizes')
  equal(asks.length, 2)
  answerAll(100_000)
  server.next('a')
  equal(asks.length, 1)
})

test('of all wants, 1,024 sizes are requested at a time, and peers take turns', () => {
  const { server, asks } = rig()
  const wants = (from: number, count: number) =>
    Array.from({ length: count }, (_, number) => wantOf(from + number))
  for (const from of [0, 2000]) server.receive(`greedy ${from}`, wants(from, 1024), false)
  equal(asks.length, serverLimits.sizesPendingMax)
  const [one] = [wantOf(5000)]
  server.receive('other', [one], false)
  equal(asks.length, serverLimits.sizesPendingMax)
  // The next request of the greedy peer, then the one of the other.
  for (const { id } of asks.splice(0, 2)) server.notHere(id)
  equal(asks.length, serverLimits.sizesPendingMax)
  const next = asks.slice(-2).map(({ multihash }) => Buffer.from(multihash).toString('hex'))
  ok(next.includes(Buffer.from(one.multihash).toString('hex')))
  // A peer that left and cancelled wants take no turn.
  server.receive(
    'greedy 2000',
    wants(2000, 1024).map((want) => ({ ...want, cancel: true })),
    false,
  )
  server.disconnected('greedy 0')
  for (const { id } of asks.splice(0)) server.notHere(id)
  equal(asks.length, 0)
})

test('of all blocks, 2,048 are requested at a time, and peers take turns', () => {
  const limits = { ...serverLimits, blocksPendingMax: 4 }
  const { server, asks, answerAll } = rig({ limits })
  const peers = ['greedy', 'one', 'two']
  for (const peer of peers) {
    const count = peer === 'greedy' ? 100 : 1
    server.receive(
      peer,
      Array.from({ length: count }, (_, at) => wantOf(at)),
      false,
    )
  }
  answerAll(10, 'sizes')
  equal(asks.length, 4)
  // Each block that arrives makes room for one, at first for the greedy peer, which waited first.
  for (let turn = 0; turn < 3; turn += 1) {
    const [first] = asks.splice(0, 1)
    server.here(first?.id ?? 0, Buffer.alloc(10))
    equal(asks.length, 4)
  }
  answerAll(10)
  deepEqual(
    peers.slice(1).map((peer) => messagesFor(server.next(peer)).blocks.length),
    [1, 1],
  )
  equal(serverLimits.blocksPendingMax, 2048)
})

test('peers that wait for memory take turns', () => {
  const limits = { ...serverLimits, allBytesInFlightMax: 200_000 }
  const { server, answerAll } = rig({ limits })
  const wants = Array.from({ length: 50 }, (_, at) => wantOf(at))
  for (const peer of ['a', 'b', 'c']) server.receive(peer, wants, false)
  for (let turn = 0; turn < 12; turn += 1) {
    answerAll(100_000)
    for (const peer of ['a', 'b', 'c']) server.next(peer)
  }
  const sent = ['a', 'b', 'c'].map((peer) => server.sent(peer).blocks)
  ok(Math.min(...sent) >= 3, sent.join(' '))
})

test('a peer has at most 1,024 wants, and the oldest are forgotten', () => {
  const { server, asks } = rig()
  server.receive(
    'a',
    Array.from({ length: 10_000 }, (_, number) => wantOf(number)),
    false,
  )
  equal(server.wantlist('a').length, 1024)
  ok(asks.length <= 2048, `${asks.length} asks`)
})

test('wants that repeat are asked for once, and cancels end them', () => {
  const { server, asks, answerAll } = rig()
  for (let time = 0; time < 100; time++) server.receive('a', [wantOf(1)], false)
  equal(asks.length, 1)
  server.receive('a', [wantOf(1, { cancel: true })], false)
  answerAll(1000)
  answerAll(1000)
  equal(server.next('a'), null)
  server.receive('a', [wantOf(2)], false)
  server.receive('a', [wantOf(3)], true)
  equal(server.wantlist('a').length, 1)
})

test('bytes of peers that left are free again', () => {
  const limits = { ...serverLimits, allBytesInFlightMax: 250_000 }
  const { server, asks, answerAll } = rig({ limits })
  for (let time = 0; time < 20; time++) {
    server.receive('a', [wantOf(1), wantOf(2)], false)
    answerAll(100_000, 'sizes')
    if (time % 2 === 0) server.disconnected('a')
    answerAll(100_000)
    server.disconnected('a')
    asks.length = 0
  }
  server.receive('b', [wantOf(1), wantOf(2)], false)
  answerAll(100_000, 'sizes')
  equal(asks.length, 2)
})

test('blocks leave at the rate, and peers wait for one another', () => {
  const woken: string[] = []
  const wake = (peer: string) => void woken.push(peer)
  const { server, clock, answerAll } = rig({ bytesPerSecondMax: 100_000, wake })
  for (const peer of ['a', 'b']) {
    server.receive(
      peer,
      Array.from({ length: 10 }, (_, number) => wantOf(number)),
      false,
    )
  }
  answerAll(100_000)
  answerAll(100_000)
  woken.push('a', 'b')
  let sent = 0
  for (let step = 0; step < 100; step++) {
    for (const peer of woken.splice(0)) {
      for (let bytes = server.next(peer); bytes !== null; bytes = server.next(peer)) {
        sent += messagesFor(bytes).blocks.length
      }
    }
    clock.advance(100)
    answerAll(100_000)
  }
  ok(sent >= 9 && sent <= 12, `${sent} blocks in 10 s`)
  ok(
    server.sent('a').blocks > 2 && server.sent('b').blocks > 2,
    JSON.stringify([server.sent('a'), server.sent('b'), sent]),
  )
})

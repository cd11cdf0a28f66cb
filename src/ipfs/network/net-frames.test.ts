import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { createReceiveCredit, createSendCredit, creditWindowBytes } from './net-credit.ts'
import {
  blockBytesMax,
  createFromNetReader,
  createToNetReader,
  encodeFromNet,
  encodeToNet,
  FrameError,
  frameBytesMax,
  type FromNet,
  provideMax,
  type ToNet,
  writeFrame,
} from './net-frames.ts'
import type { NetCounts, NetHello } from './net-messages.ts'

const multihash = Buffer.concat([Uint8Array.of(0x12, 32), Buffer.alloc(32, 7)])
const cid = Buffer.concat([Uint8Array.of(1, 0x55), multihash])
const hello: NetHello = {
  v: 1,
  mode: 'fetch',
  key: 'AAAA',
  listen: [],
  announce: [],
  bootstrap: [],
  routers: ['https://router.example'],
  peers: [],
  dht: 'client',
  private: false,
  agent: 'cairn/1',
  limits: { connectionsMax: 256, bytesPerSecondMax: 0 },
}
const counts = { sessions: 2, blocksSent: 3 } as NetCounts

const toNet: readonly ToNet[] = [
  { kind: 'hello', id: 0, message: hello },
  { kind: 'open', id: 7, root: cid, hints: [] },
  { kind: 'open', id: 8, root: cid, hints: ['/ip4/192.0.2.1/tcp/4001', '/dns4/a.example/tcp/443'] },
  { kind: 'shut', id: 7 },
  { kind: 'want', id: 2 ** 32 - 1, session: 7, cid },
  { kind: 'drop', id: 9 },
  { kind: 'here', id: 1, bytes: Buffer.from('block') },
  { kind: 'here', id: 1, bytes: Buffer.alloc(0) },
  { kind: 'size', id: 1, bytes: 262_144 },
  { kind: 'notHere', id: 1 },
  { kind: 'provide', id: 3, regionBits: 9, multihashes: [multihash, multihash] },
  { kind: 'command', id: 4, message: { name: 'routing/findprovs', arg: 'bafy', max: 20 } },
  { kind: 'cancel', id: 4 },
  { kind: 'live', id: 0, message: { routers: [], peers: [], limits: hello.limits } },
  { kind: 'credit', id: 0, bytes: 1024 },
]
const fromNet: readonly FromNet[] = [
  { kind: 'ready', id: 0, message: { v: 1, peer: '12D3', addrs: [], listenProblem: null } },
  { kind: 'found', id: 5, bytes: Buffer.from('block') },
  { kind: 'none', id: 5 },
  { kind: 'failed', id: 5, reason: 'timeout' },
  { kind: 'failed', id: 5, reason: 'noPeer' },
  { kind: 'failed', id: 5, reason: 'busy' },
  { kind: 'ask', id: 6, sizeOnly: true, multihash },
  { kind: 'ask', id: 6, sizeOnly: false, multihash },
  { kind: 'provided', id: 3, codes: Uint8Array.of(0, 2) },
  { kind: 'reply', id: 4, message: { value: { Peers: null } } },
  { kind: 'reply', id: 4, message: { error: 'no such peer' } },
  { kind: 'reply', id: 4, message: null },
  { kind: 'credit', id: 0, bytes: 1024 },
  { kind: 'counts', id: 0, message: counts },
]

/** Byte arrays as arrays, so that Buffer and Uint8Array compare. */
const plain = (frames: readonly object[]): unknown =>
  JSON.parse(
    JSON.stringify(frames, (_, value) =>
      value?.type === 'Buffer' ? value.data : value instanceof Uint8Array ? [...value] : value,
    ),
  )

function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1)
    parts.push(bytes.subarray(at, end))
    at = end
  }
  return parts
}

test('every frame is read as it was written, however the bytes are cut', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(cuts, (sizes) => {
      const there: ToNet[] = []
      const readThere = createToNetReader((frame) => there.push(frame))
      cut(Buffer.concat(toNet.flatMap(encodeToNet)), sizes).forEach(readThere)
      deepEqual(plain(there), plain(toNet))
      const here: FromNet[] = []
      const readHere = createFromNetReader((frame) => here.push(frame))
      cut(Buffer.concat(fromNet.flatMap(encodeFromNet)), sizes).forEach(readHere)
      deepEqual(plain(here), plain(fromNet))
    }),
    { numRuns: 50 },
  )
})

test('a want is the session and the CID', () => {
  const bytes = Buffer.concat(encodeToNet({ kind: 'want', id: 2, session: 3, cid }))
  equal(bytes.toString('hex'), `0000002d0400000002${'00000003'}${cid.toString('hex')}`)
})

test('a block has memory of its own, which can be transferred', () => {
  const found: FromNet[] = []
  const bytes = Buffer.alloc(300_000, 3)
  const read = createFromNetReader((frame) => found.push(frame))
  read(Buffer.concat(encodeFromNet({ kind: 'found', id: 1, bytes })))
  const [frame] = found
  ok(frame?.kind === 'found')
  equal(frame.bytes.buffer.byteLength, bytes.length)
})

const headOf = (length: number, code: number): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUInt32BE(length, 0)
  head.writeUInt8(code, 4)
  return head
}

test('a frame over the limit of its kind ends before its body comes', () => {
  const readers = [createToNetReader, createFromNetReader]
  for (const create of readers) {
    for (let code = 0; code < 256; code++) {
      const read = create(() => ok(false))
      throws(() => read(headOf(frameBytesMax + 1, code)), FrameError, `kind ${code}`)
    }
  }
  throws(() => createFromNetReader(() => {})(headOf(5 + 1, 67)), FrameError)
  throws(() => createFromNetReader(() => {})(headOf(4, 67)), FrameError)
})

test('a frame of the other direction is refused', () => {
  throws(() => createToNetReader(() => {})(headOf(5, 67)), FrameError)
  throws(() => createFromNetReader(() => {})(headOf(5, 3)), FrameError)
})

test('a body that does not fit its kind is refused', () => {
  const refusedThere = [
    [8, Buffer.from([5, 1, 2])],
    [8, Buffer.from([0, 1, 2])],
    [9, Buffer.from('null')],
    [9, Buffer.from('{"name":')],
    [2, Buffer.from([200, 1, 2])],
  ] as const
  for (const [code, body] of refusedThere) {
    const read = createToNetReader(() => ok(false))
    throws(() => read(Buffer.concat([headOf(5 + body.length, code), body])), FrameError)
  }
  const read = createFromNetReader(() => ok(false))
  throws(() => read(Buffer.concat([headOf(6, 68), Uint8Array.of(9)])), FrameError)
})

test('no frame over its limit is written', () => {
  const multihashes = Array.from({ length: provideMax + 1 }, () => Uint8Array.of(0))
  const over = new Uint8Array(blockBytesMax + 1)
  throws(() => encodeFromNet({ kind: 'found', id: 1, bytes: over }), FrameError)
  const read = createToNetReader(() => {})
  const provide = Buffer.concat(encodeToNet({ kind: 'provide', id: 1, regionBits: 0, multihashes }))
  throws(() => read(provide), FrameError)
  const hints = Array.from({ length: 65 }, () => '/ip4/192.0.2.1/tcp/1')
  throws(() => encodeToNet({ kind: 'open', id: 1, root: cid, hints }), FrameError)
})

test('random bytes are frames or refused, and never take more memory than one frame', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const read = createToNetReader(() => {})
      try {
        read(bytes)
      } catch (error) {
        ok(error instanceof FrameError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('frames of one turn leave together', async () => {
  const stream = new PassThrough()
  writeFrame(stream, encodeFromNet({ kind: 'none', id: 1 }))
  writeFrame(stream, encodeFromNet({ kind: 'none', id: 2 }))
  equal(stream.readableLength, 0)
  await new Promise((resolve) => stream.once('readable', resolve))
  equal(stream.readableLength, 18)
})

test('a sender never has more bytes under way than the receiver granted', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: blockBytesMax }), { maxLength: 60 })
  fc.assert(
    fc.property(sizes, (blocks) => {
      const sender = createSendCredit()
      const arrived: number[] = []
      const receiver = createReceiveCredit((bytes) => sender.grant(bytes))
      const receive = (bytes: number): void => {
        receiver.receive(bytes)
        arrived.push(bytes)
      }
      let passed = 0
      for (const bytes of blocks) sender.spend(bytes, () => receive(bytes))
      while (arrived.length > 0) {
        ok(arrived.reduce((sum, bytes) => sum + bytes, 0) <= creditWindowBytes)
        passed += 1
        receiver.release(arrived.shift() ?? 0)
      }
      equal(passed, blocks.length)
      equal(sender.waiting, 0)
    }),
  )
})

test('a block without credit and a grant over the window are refused', () => {
  const receiver = createReceiveCredit(() => {})
  receiver.receive(creditWindowBytes)
  throws(() => receiver.receive(1), FrameError)
  const sender = createSendCredit()
  throws(() => sender.grant(1), FrameError)
})

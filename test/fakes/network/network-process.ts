// A network process without a network, for tests of the server's side: it sends frames on descriptor 3, and has the blocks of
// `blockOf`. The setting `announce` selects its behaviour.
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import {
  createToNetReader,
  encodeFromNet,
  type FromNet,
  type ToNet,
  writeFrame,
} from '../../../src/ipfs/network/net-frames.ts'
import type { NetCounts, NetHello } from '../../../src/ipfs/network/net-messages.ts'

/**
 * `wrong`: bytes of another block. `absent`: no peer has it. `failing`: no peers. `silent`: no reply to a want. `hanging`: no
 * counts either. `dying`: exits at a want. `complaining`: also writes 100 kB to standard error. `malformed`: sends an invalid frame at a want. `flooding`: more bytes than its credit.
 * `deaf`: does not listen.
 */
export type Manner =
  | 'honest'
  | 'wrong'
  | 'absent'
  | 'failing'
  | 'silent'
  | 'hanging'
  | 'dying'
  | 'complaining'
  | 'malformed'
  | 'flooding'
  | 'deaf'

/** A block of 64 KiB. */
export function blockOf(number: number): { readonly bytes: Uint8Array; readonly hash: Uint8Array } {
  const bytes = Buffer.alloc(65_536)
  bytes.writeUInt32BE(number)
  const digest = createHash('sha256').update(bytes).digest()
  return { bytes, hash: Buffer.concat([Uint8Array.of(0x12, 32), digest]) }
}

export const blocksMax = 200

const noCounts: NetCounts = {
  peers: { in: 0, out: 1 },
  sessions: 0,
  wants: 0,
  blocksReceived: 0,
  bytesReceived: 0,
  duplicatesReceived: 0,
  duplicateBytesReceived: 0,
  lies: 0,
  excludedPeers: 0,
  blocksSent: 0,
  bytesSent: 0,
  messagesReceived: 0,
  httpBlocksReceived: 0,
  routerRequests: 0,
  routerFailures: 0,
  dhtLookups: 0,
  dhtPeers: 0,
  provided: 0,
  provideFailures: 0,
  connectionBytesIn: 0,
  connectionBytesOut: 0,
  heapBytes: 0,
  rssBytes: 0,
}

function run(): void {
  const socket = new Socket({ fd: 3, readable: true, writable: true })
  const blocks = new Map<string, Uint8Array>()
  for (let number = 0; number < blocksMax; number += 1) {
    const { bytes, hash } = blockOf(number)
    blocks.set(Buffer.from(hash).toString('hex'), bytes)
  }
  const send = (frame: FromNet): void => writeFrame(socket, encodeFromNet(frame))
  let manner: Manner = 'honest'
  let blocksReceived = 0
  let hints: readonly string[] = []

  function greet(hello: NetHello): void {
    manner = (hello.announce[0] ?? 'honest') as Manner
    if (manner === 'hanging') return
    const listenProblem = manner === 'deaf' ? 'listen EADDRINUSE: address already in use' : null
    send({ kind: 'ready', id: 0, message: { v: 1, peer: '12D3Fake', addrs: [], listenProblem } })
    const count = (): void =>
      send({ kind: 'counts', id: 0, message: { ...noCounts, blocksReceived } })
    count()
    setInterval(count, 50)
  }

  function want({ id, cid }: Extract<ToNet, { kind: 'want' }>): void {
    const key = Buffer.from(cid.subarray(-34)).toString('hex')
    const bytes = blocks.get(key)
    if (manner === 'silent' || manner === 'hanging') return
    if (manner === 'dying') process.exit(7)
    if (manner === 'complaining') {
      writeSync(2, `${'complaint '.repeat(10_000)}\n`)
      process.exit(7)
    }
    if (manner === 'malformed') return void socket.write(Buffer.alloc(64, 0xff))
    if (manner === 'flooding') {
      for (let sent = 0; sent < 400; sent += 1) send({ kind: 'found', id, bytes: blockOf(0).bytes })
      return
    }
    if (manner === 'failing') return send({ kind: 'failed', id, reason: 'noPeer' })
    if (manner === 'absent' || bytes === undefined) return send({ kind: 'none', id })
    blocksReceived += 1
    send({ kind: 'found', id, bytes: manner === 'wrong' ? blockOf(blocksMax).bytes : bytes })
  }

  /**
   * `routing/get`: requests a block. `swarm/connect`: an error. `swarm/peers`: two values. `stats/bw`: no reply. `swarm/addrs`: the
   * hints of the last session. `id`: its flags of Node. `routing/findprovs`: as many values as requested.
   */
  function command({ id, message }: Extract<ToNet, { kind: 'command' }>): void {
    if (message.name === 'routing/get') {
      const [size = '', hex = ''] = message.arg.split(' ')
      send({ kind: 'ask', id, sizeOnly: size === 'size', multihash: Buffer.from(hex, 'hex') })
      return
    }
    if (message.name === 'stats/bw') return
    if (message.name === 'id') return answered(id, process.execArgv.join(' '))
    if (message.name === 'routing/findprovs') {
      for (let value = 1; value <= message.max; value += 1) {
        send({ kind: 'reply', id, message: { value } })
      }
      send({ kind: 'reply', id, message: null })
      return
    }
    if (message.name === 'swarm/addrs') return answered(id, hints.join(' '))
    if (message.name === 'swarm/connect')
      send({ kind: 'reply', id, message: { error: 'no such peer' } })
    else for (const value of [1, 2]) send({ kind: 'reply', id, message: { value } })
    send({ kind: 'reply', id, message: null })
  }

  function answered(id: number, value: string): void {
    send({ kind: 'reply', id, message: { value } })
    send({ kind: 'reply', id, message: null })
  }

  let isReady = false
  const read = createToNetReader((frame) => {
    if (!isReady && frame.kind !== 'hello') throw new Error(`${frame.kind} before READY`)
    isReady = true
    if (frame.kind === 'hello') greet(frame.message)
    if (frame.kind === 'open') ({ hints } = frame)
    if (frame.kind === 'want') want(frame)
    if (frame.kind === 'command') command(frame)
    if (frame.kind === 'here') answered(frame.id, `here ${frame.bytes.length}`)
    if (frame.kind === 'size') answered(frame.id, `size ${frame.bytes}`)
    if (frame.kind === 'notHere') answered(frame.id, 'not here')
    if (frame.kind === 'live') manner = (frame.message.routers[0] ?? manner) as Manner
    if (frame.kind === 'provide') {
      const codes = new Uint8Array(frame.multihashes.length)
      send({ kind: 'provided', id: frame.id, codes })
    }
  })
  socket.on('data', read)
  socket.on('error', () => process.exit(0))
  socket.on('close', () => process.exit(0))
}

if (import.meta.main) run()

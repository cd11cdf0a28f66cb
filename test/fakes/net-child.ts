// The network process, started as the server starts it, and the server's side of its socket with blocks in memory. Ends with the
// test.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cidOf, parseCid, rawCodec } from '../../src/codec/ipld/cid.ts'
import { createReceiveCredit, createSendCredit } from '../../src/ipfs/network/net-credit.ts'
import {
  createFromNetReader,
  encodeToNet,
  type FromNet,
  type ToNet,
  writeFrame,
} from '../../src/ipfs/network/net-frames.ts'
import type {
  NetCommand,
  NetCounts,
  NetHello,
  NetReady,
} from '../../src/ipfs/network/net-messages.ts'

const entry = fileURLToPath(new URL('../../src/ipfs/network/child/main.ts', import.meta.url))

export type Outcome =
  | { readonly kind: 'found'; readonly bytes: Uint8Array }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly reason: string }

export type NetChild = {
  readonly process: ChildProcess
  readonly socket: Duplex
  readonly ready: NetReady
  /** Blocks to serve to peers, by multihash in hexadecimal. */
  readonly blocks: Map<string, Uint8Array>
  readonly frames: FromNet[]
  /** Requested multihashes, in hexadecimal. */
  readonly requestedBlocks: string[]
  /** Resolves when the process has ended. */
  readonly ended: Promise<number | null>
  readonly counts: () => NetCounts | null
  /** The listen address for peers. */
  readonly address: string
  send(frame: ToNet): void
  /** Grants credit for received bytes, see `grantCredit`. */
  grant(bytes: number): void
  open(root: string, hints?: readonly string[]): NetSession
  /** All values of the replies. Throws an error reply. */
  command(command: NetCommand): Promise<readonly unknown[]>
  /** Result codes of the announcement. */
  provide(multihashes: readonly Uint8Array[], regionBits?: number): Promise<readonly number[]>
}

export type NetSession = {
  readonly id: number
  fetch(cid: string | Uint8Array): Promise<Outcome>
  shut(): void
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export const cidBytes = (text: string): Uint8Array => {
  const cid = parseCid(text)
  if (cid === null) throw new TypeError(`no CID: ${text}`)
  return cid.bytes
}

/** A CID of a raw block that no peer has. */
export const randomCid = (): Uint8Array =>
  cidOf(1, rawCodec, Buffer.concat([Uint8Array.of(0x12, 32), randomBytes(32)])).bytes

const defaults: NetHello = {
  v: 1,
  mode: 'provide',
  key: '',
  listen: ['/ip4/127.0.0.1/tcp/0'],
  announce: [],
  bootstrap: [],
  routers: [],
  peers: [],
  dht: 'off',
  private: true,
  agent: 'cairn/test',
  limits: { connectionsMax: 256, bytesPerSecondMax: 0 },
}

type Waiting = {
  readonly wants: Map<number, (outcome: Outcome) => void>
  readonly replies: Map<number, { values: unknown[]; error: string | null; end: () => void }>
  readonly provides: Map<number, (codes: readonly number[]) => void>
}

export async function startNetChild(
  t: Pick<TestContext, 'after'>,
  settings: Partial<NetHello> = {},
  /** `grantCredit` false: does not grant credit for received blocks again, so that it stays spent. */
  options: { readonly grantCredit?: boolean } = {},
): Promise<NetChild> {
  const child = spawn(process.execPath, ['--max-old-space-size=256', entry], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { PATH: process.env['PATH'] },
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const socket = child.stdio[3] as Duplex
  socket.on('error', () => {})
  const blocks = new Map<string, Uint8Array>()
  const frames: FromNet[] = []
  const requestedBlocks: string[] = []
  const waiting: Waiting = { wants: new Map(), replies: new Map(), provides: new Map() }
  const sendCredit = createSendCredit()
  const receiveCredit = createReceiveCredit((bytes) => send({ kind: 'credit', id: 0, bytes }))
  const ready = Promise.withResolvers<NetReady>()
  let counts: NetCounts | null = null
  let nextId = 1
  ended.then(
    (code) => ready.reject(new Error(`the child ended with ${code}`)),
    () => {},
  )

  function send(frame: ToNet): void {
    if (socket.writable) writeFrame(socket, encodeToNet(frame))
  }

  function answer(id: number, multihash: Uint8Array, sizeOnly: boolean): void {
    const name = hexOf(multihash)
    requestedBlocks.push(name)
    const bytes = blocks.get(name)
    if (bytes === undefined) send({ kind: 'notHere', id })
    else if (sizeOnly) send({ kind: 'size', id, bytes: bytes.length })
    else sendCredit.spend(bytes.length, () => send({ kind: 'here', id, bytes }))
  }

  function take(frame: FromNet): void {
    if (frame.kind !== 'counts') frames.push(frame)
    switch (frame.kind) {
      case 'ready':
        return ready.resolve(frame.message)
      case 'counts':
        counts = frame.message
        return
      case 'ask':
        return answer(frame.id, frame.multihash, frame.sizeOnly)
      case 'credit':
        return sendCredit.grant(frame.bytes)
      case 'found':
        receiveCredit.receive(frame.bytes.length)
        if (options.grantCredit !== false) receiveCredit.release(frame.bytes.length)
        return waiting.wants.get(frame.id)?.({ kind: 'found', bytes: frame.bytes })
      case 'none':
        return waiting.wants.get(frame.id)?.({ kind: 'none' })
      case 'failed':
        return waiting.wants.get(frame.id)?.({ kind: 'failed', reason: frame.reason })
      case 'provided':
        return waiting.provides.get(frame.id)?.([...frame.codes])
      case 'reply': {
        const one = waiting.replies.get(frame.id)
        if (frame.message === null) one?.end()
        else if (one !== undefined && 'error' in frame.message) one.error = frame.message.error
        else if (one !== undefined && 'value' in frame.message) one.values.push(frame.message.value)
      }
    }
  }

  socket.on('data', createFromNetReader(take))
  send({
    kind: 'hello',
    id: 0,
    message: { ...defaults, key: randomBytes(32).toString('base64url'), ...settings },
  })
  const readyMessage = await ready.promise

  return {
    process: child,
    socket,
    ready: readyMessage,
    blocks,
    frames,
    requestedBlocks,
    ended,
    counts: () => counts,
    address: readyMessage.addrs[0] ?? '',
    send,
    grant: (bytes) => receiveCredit.release(bytes),
    open(root, hints = []) {
      const session = nextId++
      send({ kind: 'open', id: session, root: cidBytes(root), hints })
      return {
        id: session,
        fetch: (cid) =>
          new Promise((resolve) => {
            const id = nextId++
            waiting.wants.set(id, (outcome) => {
              waiting.wants.delete(id)
              resolve(outcome)
            })
            const bytes = typeof cid === 'string' ? cidBytes(cid) : cid
            send({ kind: 'want', id, session, cid: bytes })
          }),
        shut: () => send({ kind: 'shut', id: session }),
      }
    },
    command: (command) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        const state = { values: [] as unknown[], error: null as string | null, end: () => {} }
        state.end = () => {
          waiting.replies.delete(id)
          if (state.error === null) resolve(state.values)
          else reject(new Error(state.error))
        }
        waiting.replies.set(id, state)
        send({ kind: 'command', id, message: command })
      }),
    provide: (multihashes, regionBits = 0) =>
      new Promise((resolve) => {
        const id = nextId++
        waiting.provides.set(id, resolve)
        send({ kind: 'provide', id, regionBits, multihashes })
      }),
  }
}

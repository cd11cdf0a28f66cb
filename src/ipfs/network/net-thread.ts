// Entry of the net thread: starts the network process, passes frames on, and decides which blocks may be sent. The thread ends with
// the process. The request thread supervises both (peer-network.ts).
// Tested by test/network/network-process.test.ts
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { cidOf, rawCodec } from '../../codec/ipld/cid.ts'
import { findOne } from '../../db/sqlite-rows.ts'
import { findPublic } from '../../tables/network/public-blocks.ts'
import { createBlockRequestQueue } from './block-request-queue.ts'
import { createReceiveCredit, createSendCredit } from './net-credit.ts'
import {
  createFromNetReader,
  encodeToNet,
  type FromNet,
  type ToNet,
  writeFrame,
} from './net-frames.ts'
import { openPeerBlocks } from './peer-blocks.ts'
import type { FromThread, NetThreadOptions, ToThread } from './thread-messages.ts'
import { createWantQueue } from './want-queue.ts'

/** Niceness of the process, below the priority of the server. */
const niceness = 5
/** How much of the process's standard error is retained for the log. */
const stderrCharsMax = 2000
const closeFilesMs = 60_000
/** Time after which the process is killed. */
const stopMs = 1500

function post(message: FromThread, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** Buffers count as heap. With V8's small initial limit, blocks in transit would cause a full collection every 3 MiB. */
const firstLimitShare = 1 / 2

function startProcess({ program, path, heapMiB }: NetThreadOptions): ChildProcess {
  const limits = [
    `--max-old-space-size=${heapMiB}`,
    `--initial-old-space-size=${Math.floor(heapMiB * firstLimitShare)}`,
  ]
  const child = spawn(process.execPath, [...limits, program], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { PATH: path },
  })
  if (child.pid === undefined) return child
  try {
    setPriority(child.pid, niceness)
  } catch {
    // The process may have ended already.
  }
  post({ kind: 'started', pid: child.pid })
  return child
}

/** Resolves to the reason of the process's end, with the last lines of its standard error. */
function watch(child: ChildProcess): Promise<string> {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrCharsMax)
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => {
      const end = signal === null ? `exit code ${code}` : `signal ${signal}`
      const [firstLine = ''] = /^.*\S.*$/m.exec(stderr) ?? []
      resolve(firstLine === '' ? end : `${end}: ${firstLine.slice(0, 300)}`)
    })
  })
}

/** Runs until the process ends. */
async function run(options: NetThreadOptions): Promise<void> {
  const child = startProcess(options)
  const ended = watch(child)
  const socket = child.stdio[3] as Socket | undefined
  let reason: string | null = null
  function kill(why: string): void {
    reason ??= why
    child.kill('SIGKILL')
  }
  let { needsCard } = options
  const blocks = openPeerBlocks({
    ...options,
    isPublic: (db, multihash) => findOne(db, findPublic([multihash], needsCard)) !== null,
  })
  const credit = createSendCredit()
  /** Frames sent before READY are queued; the limits of wants and commands bound them. */
  let early: ToNet[] | null = []
  const write = (frame: ToNet): void => {
    if (socket?.writable === true) writeFrame(socket, encodeToNet(frame))
  }
  const send = (frame: ToNet): void => {
    if (early === null) write(frame)
    else early.push(frame)
  }
  const received = createReceiveCredit((bytes) => send({ kind: 'credit', id: 0, bytes }))
  const blockRequests = createBlockRequestQueue({
    blocks,
    credit,
    check: (multihashes) => post({ kind: 'check', multihashes }),
    send,
  })
  const wants = createWantQueue({
    open: (session, root, hints) =>
      send({ kind: 'open', id: session, root: cidOf(1, rawCodec, root).bytes, hints }),
    shut: (session) => send({ kind: 'shut', id: session }),
    send: (session, { id, cid }) => send({ kind: 'want', id, session, cid }),
    refuse: (id) => post({ kind: 'failed', id, reason: 'overloaded' }),
    clock: systemClock,
  })
  const onFrame = (frame: FromNet): void => {
    switch (frame.kind) {
      case 'found':
        received.receive(frame.bytes.length)
        wants.end(frame.id)
        return post(frame as Extract<FromThread, { kind: 'found' }>, [
          frame.bytes.buffer as ArrayBuffer,
        ])
      case 'none':
      case 'failed':
        wants.end(frame.id)
        return post(frame)
      case 'ask':
        return blockRequests.add(frame)
      case 'credit':
        return credit.grant(frame.bytes)
      case 'counts':
        return post({
          kind: 'counts',
          message: frame.message,
          peerRequests: { ...blockRequests.counts },
        })
      case 'ready':
        for (const waiting of early ?? []) write(waiting)
        early = null
        return post(frame)
      case 'provided':
      case 'reply':
        return post(frame)
    }
  }
  const read = createFromNetReader(onFrame)
  socket?.on('data', (bytes: Uint8Array) => {
    try {
      read(bytes)
    } catch (error) {
      kill(error instanceof Error ? error.message : String(error))
    }
  })
  // The exit of the process reports the reason.
  socket?.on('error', () => {})
  parentPort?.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'want':
        return wants.add(message)
      case 'drop':
        if (wants.end(message.id)) send({ kind: 'drop', id: message.id })
        return
      case 'checked':
        return blockRequests.onChecked(message.allowed)
      case 'credit':
        return received.release(message.bytes)
      case 'live':
        ;({ needsCard } = message)
        return send({ kind: 'live', id: 0, message: message.message })
      case 'command':
      case 'cancel':
      case 'provide':
        return send(message)
      case 'stop':
        // The process ends by itself when the socket closes.
        reason ??= 'stopped'
        socket?.destroy()
        return void systemClock.after(stopMs, () => kill('stopped'))
    }
  })
  write({ kind: 'hello', id: 0, message: options.hello })
  const stopClosing = systemClock.every(closeFilesMs, () => void blocks.closeFiles())
  const end = await ended
  stopClosing()
  await blocks.close()
  post({ kind: 'ended', reason: reason ?? end })
  parentPort?.close()
}

await run(workerData as NetThreadOptions)

// A Writer at the near end of a MessagePort; the writer thread serves the far end. The queue is limited in writes and
// bytes. If the thread ends, all pending and later writes fail.
import type { MessagePort } from 'node:worker_threads'
import { Fault } from '../base/fault.ts'
import {
  type PackedOutcomes,
  type PackedWrites,
  createWritePacker,
  unpackOutcomes,
} from './packed-writes.ts'
import type { CountedWriter, SqlValue, Statement } from './writer.ts'

/**
 * Writes of one turn of the event loop travel in one message, and so do their outcomes: one by one, messages cost
 * more than rows.
 */
export type WriteRequest = { readonly ids: readonly number[] } & PackedWrites
export type WriteReply = PackedOutcomes

export type PortLimits = {
  /** Writes that may wait for an answer. */
  readonly pendingMax: number
  /** Bytes of BLOBs that may wait; one write alone may be larger. */
  readonly pendingBytesMax: number
}

export const defaultPortLimits: PortLimits = {
  pendingMax: 16_384,
  pendingBytesMax: 64 * 1024 * 1024,
}

type Waiter = {
  readonly bytes: number
  readonly resolve: (changes: readonly number[]) => void
  readonly reject: (error: unknown) => void
}

export type PortWriter = CountedWriter & {
  /** Writes that have no answer yet. */
  readonly waiting: number
}

/** Takes ownership of the port. `close` waits for pending writes, then closes the port. */
export function portWriter(port: MessagePort, limits: PortLimits = defaultPortLimits): PortWriter {
  const waiting = new Map<number, Waiter>()
  const drained: (() => void)[] = []
  let pendingBytes = 0
  let nextId = 1
  const packer = createWritePacker()
  /** In the packer. */
  let gathered: number[] = []
  let state: 'open' | 'closing' | 'dead' = 'open'

  function settle(id: number): Waiter | null {
    const waiter = waiting.get(id)
    if (waiter === undefined) return null
    waiting.delete(id)
    pendingBytes -= waiter.bytes
    if (waiting.size === 0) {
      port.unref()
      for (const tell of drained.splice(0)) tell()
    }
    return waiter
  }

  function send(): void {
    const request: WriteRequest = { ids: gathered, ...packer.take() }
    gathered = []
    port.postMessage(request, [request.bytes.buffer])
  }

  port.on('message', (reply: WriteReply) => {
    unpackOutcomes(reply, (id, outcome) => {
      const waiter = settle(id)
      if (outcome.ok) waiter?.resolve(outcome.changes)
      else waiter?.reject(outcome.error)
    })
  })
  port.on('close', () => {
    if (state === 'open') state = 'dead'
    for (const id of waiting.keys()) settle(id)?.reject(threadGone())
  })
  port.unref()

  return {
    get waiting() {
      return waiting.size
    },
    write(statements) {
      if (state === 'dead') return Promise.reject(threadGone())
      if (state === 'closing') return Promise.reject(new Fault('shutting_down'))
      const bytes = blobBytes(statements)
      const full =
        waiting.size >= limits.pendingMax ||
        (waiting.size > 0 && pendingBytes + bytes > limits.pendingBytesMax)
      if (full) return Promise.reject(new Fault('overloaded'))
      return new Promise((resolve, reject) => {
        packer.add(statements)
        const id = nextId++
        // After the rest of this turn, so that callers answered together write together.
        if (gathered.length === 0) process.nextTick(send)
        gathered.push(id)
        waiting.set(id, { bytes, resolve, reject })
        pendingBytes += bytes
        port.ref()
      })
    },
    get taken() {
      return nextId - 1
    },
    async close() {
      if (state === 'open') state = 'closing'
      if (waiting.size > 0) await new Promise<void>((resolve) => drained.push(resolve))
      port.close()
    },
  }
}

function blobBytes(statements: readonly Statement[]): number {
  let total = 0
  const count = (values: readonly SqlValue[]): void => {
    for (const value of values) if (value instanceof Uint8Array) total += value.length
  }
  for (const { parameters, rows = [] } of statements) {
    count(parameters)
    for (const row of rows) count(row)
  }
  return total
}

function threadGone(): Fault {
  return new Fault('internal', { cause: new Error('the writer thread is gone') })
}

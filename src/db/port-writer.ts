// A Writer at one end of a MessagePort; the writer thread serves the other end. The queue is limited in writes and bytes. If the
// thread ends, all pending and later writes fail.
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
 * Writes of one event-loop turn are sent in one message, and so are their outcomes: one message each would cost more than the rows.
 */
export type WriteRequest = { readonly ids: readonly number[] } & PackedWrites
export type WriteReply = PackedOutcomes

export type PortLimits = {
  /** Maximum number of pending writes. */
  readonly pendingMax: number
  /** Maximum bytes of BLOBs of pending writes; a single write may be larger. */
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
  /** Number of pending writes. */
  readonly pending: number
}

/** Takes ownership of the port. `close` waits for pending writes, then closes the port. */
export function portWriter(port: MessagePort, limits: PortLimits = defaultPortLimits): PortWriter {
  const pending = new Map<number, Waiter>()
  const drained: (() => void)[] = []
  let pendingBytes = 0
  let nextId = 1
  const packer = createWritePacker()
  /** IDs of writes in the packer. */
  let gathered: number[] = []
  let state: 'open' | 'closing' | 'dead' = 'open'

  function settle(id: number): Waiter | null {
    const waiter = pending.get(id)
    if (waiter === undefined) return null
    pending.delete(id)
    pendingBytes -= waiter.bytes
    if (pending.size === 0) {
      port.unref()
      for (const notify of drained.splice(0)) notify()
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
    for (const id of pending.keys()) settle(id)?.reject(threadEnded())
  })
  port.unref()

  return {
    get pending() {
      return pending.size
    },
    write(statements) {
      if (state === 'dead') return Promise.reject(threadEnded())
      if (state === 'closing') return Promise.reject(new Fault('shutting_down'))
      const bytes = blobBytes(statements)
      const full =
        pending.size >= limits.pendingMax ||
        (pending.size > 0 && pendingBytes + bytes > limits.pendingBytesMax)
      if (full) return Promise.reject(new Fault('overloaded'))
      return new Promise((resolve, reject) => {
        packer.add(statements)
        const id = nextId++
        // Runs after the rest of this turn, so that callers that were answered together write together.
        if (gathered.length === 0) process.nextTick(send)
        gathered.push(id)
        pending.set(id, { bytes, resolve, reject })
        pendingBytes += bytes
        port.ref()
      })
    },
    get accepted() {
      return nextId - 1
    },
    async close() {
      if (state === 'open') state = 'closing'
      if (pending.size > 0) await new Promise<void>((resolve) => drained.push(resolve))
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

function threadEnded(): Fault {
  return new Fault('internal', { cause: new Error('the writer thread is gone') })
}

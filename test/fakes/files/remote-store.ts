// A BlockStore as one on another machine: no `peek`, every reply comes in another turn of the event loop.
import { setImmediate } from 'node:timers/promises'
import type { BlockStore, LocalStore } from '../../../src/content/block-store.ts'

export function createRemoteStore(local: LocalStore): BlockStore {
  const { peek: _none, ...rest } = local

  async function later<T>(reply: Promise<T>): Promise<T> {
    // Until the turn is over an error of the reply must not count as unhandled.
    reply.catch(() => undefined)
    await setImmediate()
    return await reply
  }

  return {
    ...rest,
    get: (ref, copy) => later(local.get(ref, copy)),
    has: (ref) => later(local.has(ref)),
    put: (items, rows) => later(local.put(items, rows)),
    quarantine: (ref) => later(local.quarantine(ref)),
    release: (ref) => later(local.release(ref)),
  }
}

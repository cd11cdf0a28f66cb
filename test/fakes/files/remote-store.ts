// Simulates a remote BlockStore: no `peek`, and every reply arrives in another turn of the event loop.
import { setImmediate } from 'node:timers/promises'
import type { BlockStore, LocalStore } from '../../../src/content/block-store.ts'

export function createRemoteStore(local: LocalStore): BlockStore {
  const { peek: _none, ...rest } = local

  async function later<T>(reply: Promise<T>): Promise<T> {
    // The error of a reply must not count as unhandled until the turn ends.
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

// The recorded requests of each key as data, so that the owner of a key sees those of every process and node.
// Tested by src/pipeline/inspector/inspector-store.test.ts, which runs test/suites/inspector-store.suite.ts
import { type InspectedRequest, sizeOf } from './inspected-request.ts'

/** Every implementation runs test/suites/inspector-store.suite.ts. */
export interface InspectorStore {
  /** Adds a request and removes the oldest ones of its key. Never throws or blocks; the request may be lost. */
  put(request: InspectedRequest): void
  /** Oldest first. May reject with `overloaded`. */
  list(keyId: string): readonly InspectedRequest[] | Promise<readonly InspectedRequest[]>
  /** Replaces each request of a key by the result of `change`; the same object means unchanged. Never throws or blocks. */
  rewrite(keyId: string, change: (request: InspectedRequest) => InspectedRequest): void
  clear(keyId: string): void
  /** Keys for which this process has put requests since it last cleared them. */
  keys(): readonly string[]
  /** Estimated memory of this process, bytes. */
  readonly bytes: number
}

export type InspectorStoreLimits = {
  readonly requestsPerKeyMax: number
  /** Total memory in bytes. */
  readonly bytesMax: number
}

export const defaultInspectorStoreLimits: InspectorStoreLimits = {
  requestsPerKeyMax: 200,
  bytesMax: 32 * 1024 * 1024,
}

type Stored = { readonly request: InspectedRequest; readonly bytes: number }

/** Requests of one process, in memory: they are lost when it stops. */
export function createMemoryInspections(
  limits: InspectorStoreLimits = defaultInspectorStoreLimits,
): InspectorStore {
  /** By id, oldest first. */
  const all = new Map<number, Stored>()
  const byKey = new Map<string, Map<number, Stored>>()
  let bytes = 0

  function set(request: InspectedRequest): void {
    const stored = { request, bytes: sizeOf(request) }
    bytes += stored.bytes - (all.get(request.id)?.bytes ?? 0)
    const ring = byKey.get(request.keyId) ?? new Map<number, Stored>()
    byKey.set(request.keyId, ring)
    ring.set(request.id, stored)
    all.set(request.id, stored)
  }

  function dropOldest(from: ReadonlyMap<number, Stored>): void {
    for (const { request } of from.values()) {
      drop(request)
      return
    }
  }

  function drop({ id, keyId }: InspectedRequest): void {
    bytes -= all.get(id)?.bytes ?? 0
    all.delete(id)
    const ring = byKey.get(keyId)
    ring?.delete(id)
    if (ring?.size === 0) byKey.delete(keyId)
  }

  function list(keyId: string): readonly InspectedRequest[] {
    return [...(byKey.get(keyId)?.values() ?? [])].map(({ request }) => request)
  }

  return {
    put(request) {
      set(request)
      const ring = byKey.get(request.keyId)
      if (ring !== undefined && ring.size > limits.requestsPerKeyMax) dropOldest(ring)
      while (bytes > limits.bytesMax) dropOldest(all)
    },
    list,
    rewrite(keyId, change) {
      for (const request of list(keyId)) {
        const changed = change(request)
        if (changed !== request) set(changed)
      }
    },
    clear(keyId) {
      for (const request of list(keyId)) drop(request)
    },
    keys: () => [...byKey.keys()],
    get bytes() {
      return bytes
    },
  }
}

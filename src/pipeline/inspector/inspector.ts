// The last requests of each ApiKey with inspection turned on: in memory only, limited per key and in total, and removed when
// the key is revoked, inspection is turned off or the server stops.
import type { KeySettings } from '../../access/accounts/key-settings.ts'
import type { Caller } from '../../access/accounts/caller.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { type Arrival, Inspection } from './inspection.ts'
import { type InspectedRequest, sizeOf } from './inspected-request.ts'

export type InspectorLimits = {
  readonly requestsPerKeyMax: number
  /** Memory in total. */
  readonly bytesMax: number
  readonly listenersPerKeyMax: number
  readonly listenersMax: number
  /** Interval at which each key's settings are read again. */
  readonly settingsMs: number
}

export const defaultInspectorLimits: InspectorLimits = {
  requestsPerKeyMax: 200,
  bytesMax: 32 * 1024 * 1024,
  listenersPerKeyMax: 16,
  listenersMax: 64,
  settingsMs: 1_000,
}

/** Filter; a request matches if every given member matches. */
export type InspectedFilter = {
  /** Method of one of its calls. */
  readonly method?: string | undefined
  /** A Fault code, `ok`, or `failed`: any code except ok. */
  readonly outcome?: string | undefined
  readonly network?: string | undefined
  readonly msMin?: number | undefined
  /** Only requests with a larger id. */
  readonly after?: number | undefined
}

export interface Inspector {
  /** Starts to record a request. The inspector keeps it only if the key has `inspect` set. */
  begin(caller: Caller, arrival: Arrival): Inspection
  /** Newest first. */
  list(keyId: string, filter: InspectedFilter, most: number): readonly InspectedRequest[]
  find(keyId: string, id: number): InspectedRequest | null
  clear(keyId: string): void
  /** Calls the listener for each finished request. Returns the unsubscribe function. Throws `overloaded` at the limit. */
  listen(keyId: string, listener: (request: InspectedRequest) => void): () => void
  /** Applies every key's current settings now; otherwise once per second. */
  applySettings(): void
  /** Estimated memory in bytes. */
  readonly bytes: number
  /** Removes all requests. */
  stop(): void
}

type Kept = { readonly request: InspectedRequest; readonly bytes: number }

/** `settingsOf`: current settings; null: no active key has this id. */
export function createInspector(parts: {
  readonly settingsOf: (keyId: string) => KeySettings | null
  readonly clock: Clock
  readonly limits?: InspectorLimits
}): Inspector {
  const { settingsOf, clock, limits = defaultInspectorLimits } = parts
  /** By id, oldest first. */
  const all = new Map<number, Kept>()
  const byKey = new Map<string, Map<number, Kept>>()
  const listeners = new Map<string, Set<(request: InspectedRequest) => void>>()
  let listening = 0
  let bytes = 0
  // Larger than any id of an earlier run: that run had fewer than a thousand requests per millisecond.
  let nextId = Math.floor(clock.now()) * 1_000
  let stopTimer: (() => void) | null = null

  function keep(request: Omit<InspectedRequest, 'id'>): void {
    const settings = settingsOf(request.keyId)
    if (settings?.inspect !== true) return
    put(strip({ id: nextId++, ...request }, settings))
    const ring = byKey.get(request.keyId)
    if (ring !== undefined && ring.size > limits.requestsPerKeyMax) dropOldest(ring)
    while (bytes > limits.bytesMax) dropOldest(all)
    stopTimer ??= clock.every(limits.settingsMs, applySettings)
  }

  function put(request: InspectedRequest): void {
    const kept = { request, bytes: sizeOf(request) }
    const ring = byKey.get(request.keyId) ?? new Map<number, Kept>()
    byKey.set(request.keyId, ring)
    ring.set(request.id, kept)
    all.set(request.id, kept)
    bytes += kept.bytes
    for (const listener of listeners.get(request.keyId) ?? []) listener(request)
  }

  function dropOldest(from: ReadonlyMap<number, Kept>): void {
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
    if (all.size > 0) return
    stopTimer?.()
    stopTimer = null
  }

  function clear(keyId: string): void {
    for (const { request } of byKey.get(keyId)?.values() ?? []) drop(request)
  }

  /** Removes what the owner has turned off since, also from stored requests. */
  function applySettings(): void {
    for (const keyId of byKey.keys()) applySettingsOf(keyId)
  }

  function applySettingsOf(keyId: string): void {
    const settings = settingsOf(keyId)
    if (settings?.inspect !== true) return clear(keyId)
    if (settings.inspectBodies && settings.inspectAddresses) return
    for (const { request } of byKey.get(keyId)?.values() ?? []) {
      const stripped = strip(request, settings)
      if (stripped === request) continue
      const kept = { request: stripped, bytes: sizeOf(stripped) }
      bytes += kept.bytes - (all.get(request.id)?.bytes ?? 0)
      all.set(request.id, kept)
      byKey.get(keyId)?.set(request.id, kept)
    }
  }

  return {
    begin: (caller, arrival) =>
      new Inspection({ arrival, keyId: caller.keyId, settings: caller.settings, clock, keep }),
    list(keyId, filter, most) {
      applySettingsOf(keyId)
      const found: InspectedRequest[] = []
      for (const { request } of [...(byKey.get(keyId)?.values() ?? [])].toReversed()) {
        if (found.length >= most) break
        if (matches(request, filter)) found.push(request)
      }
      return found
    },
    find(keyId, id) {
      applySettingsOf(keyId)
      return byKey.get(keyId)?.get(id)?.request ?? null
    },
    clear,
    listen(keyId, listener) {
      const own = listeners.get(keyId) ?? new Set()
      if (own.size >= limits.listenersPerKeyMax || listening >= limits.listenersMax) {
        throw new Fault('overloaded')
      }
      listeners.set(keyId, own.add(listener))
      listening++
      return () => {
        if (!own.delete(listener)) return
        listening--
        if (own.size === 0 && listeners.get(keyId) === own) listeners.delete(keyId)
      }
    },
    applySettings,
    get bytes() {
      return bytes
    },
    stop() {
      for (const keyId of byKey.keys()) clear(keyId)
    },
  }
}

/** True if the request matches the filter. */
export function matches(request: InspectedRequest, filter: InspectedFilter): boolean {
  const { method, outcome, network, msMin, after } = filter
  if (after !== undefined && request.id <= after) return false
  if (network !== undefined && request.network !== network) return false
  if (msMin !== undefined && request.ms < msMin) return false
  if (outcome === 'failed' && request.outcome === 'ok') return false
  if (outcome !== undefined && outcome !== 'failed' && request.outcome !== outcome) return false
  if (method === undefined) return true
  return request.method === method || request.calls.some((call) => call.method === method)
}

/** Returns the same object if nothing has to be removed. */
function strip(request: InspectedRequest, settings: KeySettings): InspectedRequest {
  const noBodies = !settings.inspectBodies && request.calls.some(hasBody)
  const noAddress = !settings.inspectAddresses && request.address !== null
  if (!noBodies && !noAddress) return request
  return {
    ...request,
    ...(noAddress ? { address: null } : {}),
    ...(noBodies ? { calls: request.calls.map(withoutBodies) } : {}),
  }
}

type Call = InspectedRequest['calls'][number]

function hasBody({ params, result }: Call): boolean {
  return params.text !== null || (result !== null && result.text !== null)
}

function withoutBodies(call: Call): Call {
  const { params, result } = call
  const bare = { text: null, cut: false }
  return { ...call, params: { ...params, ...bare }, result: result && { ...result, ...bare } }
}

// The last requests of each ApiKey with inspection turned on: limited, and removed when the key is revoked or inspection is
// turned off. In the memory of this process, or in a store that several nodes share.
// Tested by src/pipeline/inspector/inspector.test.ts
import type { KeySettings } from '../../access/accounts/key-settings.ts'
import type { Caller } from '../../access/accounts/caller.ts'
import type { Clock } from '../../base/clock.ts'
import { type OutcomeClass, outcomeClassOf } from '../../base/outcome-class.ts'
import { Fault } from '../../base/fault.ts'
import { setNewest } from '../../base/lru-cache.ts'
import type { PubSub } from '../../base/pub-sub.ts'
import { type Arrival, Inspection } from './inspection.ts'
import type { InspectedRequest } from './inspected-request.ts'
import {
  type InspectorStore,
  type InspectorStoreLimits,
  createMemoryInspections,
  defaultInspectorStoreLimits,
} from './inspector-store.ts'

export type InspectorLimits = InspectorStoreLimits & {
  readonly listenersPerKeyMax: number
  readonly listenersMax: number
  /** Interval at which each key's settings are read again. */
  readonly settingsMs: number
}

export const defaultInspectorLimits: InspectorLimits = {
  ...defaultInspectorStoreLimits,
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
  /** Class of its outcome. */
  readonly class?: OutcomeClass | undefined
  /** Substring of a method, an outcome, an error code or the client address, or the whole request ID; case-insensitive. */
  readonly text?: string | undefined
  readonly requestId?: string | undefined
  readonly network?: string | undefined
  readonly msMin?: number | undefined
  /** Only requests with a larger id. */
  readonly after?: number | undefined
}

export interface Inspector {
  /** Starts to record a request. The inspector stores it only if the key has `inspect` set. */
  begin(caller: Caller, arrival: Arrival): Inspection
  /** Newest first. If several nodes share the requests, a promise that may reject with `overloaded`. */
  list(
    keyId: string,
    filter: InspectedFilter,
    most: number,
  ): readonly InspectedRequest[] | Promise<readonly InspectedRequest[]>
  find(keyId: string, id: number): InspectedRequest | null | Promise<InspectedRequest | null>
  clear(keyId: string): void
  /** Calls the listener for each finished request. Returns the unsubscribe function. Throws `overloaded` at the limit. */
  listen(keyId: string, listener: (request: InspectedRequest) => void): () => void
  /** Applies every key's current settings now; otherwise once per second. */
  applySettings(): void
  /** Estimated memory in bytes. */
  readonly bytes: number
  /** Stops the timer and deletes the requests of this process. */
  stop(): void
}

/** Store and messages that several nodes share. */
export type SharedInspections = { readonly store: InspectorStore; readonly pubSub: PubSub }

const appliedMax = 10_000
const topicOf = (keyId: string): string => `inspected:${keyId}`

/** `settingsOf`: current settings; null: no active key has this ID. `shared` absent: no other nodes. */
export function createInspector(parts: {
  readonly settingsOf: (keyId: string) => KeySettings | null
  readonly clock: Clock
  readonly limits?: InspectorLimits
  readonly shared?: SharedInspections | undefined
}): Inspector {
  const { settingsOf, clock, limits = defaultInspectorLimits, shared } = parts
  const store = shared?.store ?? createMemoryInspections(limits)
  /** The settings last applied to the stored requests of each key. */
  const applied = new Map<string, string>()
  const listeners = new Map<string, Set<(request: InspectedRequest) => void>>()
  const subscriptions = new Map<string, () => void>()
  let listening = 0
  let lastId = 0
  // Requests of nodes that share a store get different ids.
  const idOffset = shared === undefined ? 0 : Math.floor(Math.random() * 1_000)
  let stopTimer: (() => void) | null = null

  /** Larger than any id of an earlier run: there are fewer than a thousand requests per millisecond. */
  function nextId(): number {
    lastId = Math.max(lastId + 1, Math.floor(clock.now()) * 1_000 + idOffset)
    return lastId
  }

  function keep(request: Omit<InspectedRequest, 'id'>): void {
    const settings = settingsOf(request.keyId)
    if (settings?.inspect !== true) return
    const stripped = strip({ id: nextId(), ...request }, settings)
    store.put(stripped)
    if (shared === undefined) deliver(stripped)
    else shared.pubSub.publish(topicOf(request.keyId), JSON.stringify(stripped))
    stopTimer ??= clock.every(limits.settingsMs, applySettings)
  }

  function deliver(request: InspectedRequest): void {
    for (const listener of listeners.get(request.keyId) ?? []) listener(request)
  }

  function clear(keyId: string): void {
    store.clear(keyId)
    applied.delete(keyId)
    stopIdleTimer()
  }

  function stopIdleTimer(): void {
    if (store.keys().length > 0) return
    stopTimer?.()
    stopTimer = null
  }

  /** Removes data that the owner no longer allows from stored requests. */
  function applySettings(): void {
    for (const keyId of store.keys()) applySettingsOf(keyId)
    stopIdleTimer()
  }

  function applySettingsOf(keyId: string): KeySettings | null {
    const settings = settingsOf(keyId)
    if (settings?.inspect !== true) {
      clear(keyId)
      return null
    }
    const switches = `${settings.inspectBodies} ${settings.inspectAddresses}`
    if (applied.get(keyId) === switches) return settings
    setNewest(applied, keyId, switches, appliedMax)
    store.rewrite(keyId, (request) => strip(request, settings))
    return settings
  }

  /** Oldest first, after applying the current settings. */
  function read<Result>(
    keyId: string,
    choose: (requests: readonly InspectedRequest[]) => Result,
  ): Result | Promise<Result> {
    const settings = applySettingsOf(keyId)
    if (settings === null) return choose([])
    const allowed = (requests: readonly InspectedRequest[]): Result =>
      choose(requests.map((request) => strip(request, settings)))
    const requests = store.list(keyId)
    return requests instanceof Promise ? requests.then(allowed) : allowed(requests)
  }

  /** Includes messages of other nodes. */
  function subscribe(keyId: string): void {
    const stop = shared?.pubSub.subscribe(topicOf(keyId), (message) => {
      try {
        deliver(JSON.parse(message) as InspectedRequest)
      } catch {
        // Ignores messages in the format of another version of Cairn.
      }
    })
    if (stop !== undefined) subscriptions.set(keyId, stop)
  }

  return {
    begin: (caller, arrival) =>
      new Inspection({
        arrival,
        keyId: caller.keyId,
        settings: caller.settings,
        clock,
        store: keep,
      }),
    list: (keyId, filter, most) =>
      read(keyId, (requests) =>
        requests
          .toReversed()
          .filter((request) => matches(request, filter))
          .slice(0, most),
      ),
    find: (keyId, id) =>
      read(keyId, (requests) => requests.find((request) => request.id === id) ?? null),
    clear,
    listen(keyId, listener) {
      const keyListeners = listeners.get(keyId) ?? new Set()
      if (keyListeners.size >= limits.listenersPerKeyMax || listening >= limits.listenersMax) {
        throw new Fault('overloaded')
      }
      if (keyListeners.size === 0) subscribe(keyId)
      listeners.set(keyId, keyListeners.add(listener))
      listening++
      return () => {
        if (!keyListeners.delete(listener)) return
        listening--
        if (keyListeners.size > 0 || listeners.get(keyId) !== keyListeners) return
        listeners.delete(keyId)
        subscriptions.get(keyId)?.()
        subscriptions.delete(keyId)
      }
    },
    applySettings,
    get bytes() {
      return store.bytes
    },
    stop() {
      // Requests in a shared store remain until they expire.
      if (shared === undefined) for (const keyId of store.keys()) clear(keyId)
      stopTimer?.()
      stopTimer = null
    },
  }
}

/** True if the request matches the filter. */
export function matches(request: InspectedRequest, filter: InspectedFilter): boolean {
  const { method, outcome, text, requestId, network, msMin, after } = filter
  if (after !== undefined && request.id <= after) return false
  if (requestId !== undefined && request.requestId !== requestId) return false
  if (network !== undefined && request.network !== network) return false
  if (msMin !== undefined && request.ms < msMin) return false
  if (outcome === 'failed' && request.outcome === 'ok') return false
  if (outcome !== undefined && outcome !== 'failed' && request.outcome !== outcome) return false
  if (filter.class !== undefined && outcomeClassOf(request.outcome) !== filter.class) return false
  if (text !== undefined && !contains(request, text.toLowerCase())) return false
  if (method === undefined) return true
  return request.method === method || request.calls.some((call) => call.method === method)
}

/** `text`: lower case. */
function contains(request: InspectedRequest, text: string): boolean {
  const { requestId, method, outcome, reason, errorCode, address, calls } = request
  // Not a part of it: an ID of random letters contains many texts.
  if (requestId?.toLowerCase() === text) return true
  const parts = [method, outcome, reason ?? '', String(errorCode ?? ''), address ?? '']
  return [...parts, ...calls.flatMap((call) => [call.method, call.outcome])].some((part) =>
    part.toLowerCase().includes(text),
  )
}

/** Returns the same object if there is nothing to remove. */
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

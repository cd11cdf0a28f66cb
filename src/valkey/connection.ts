// The connection to Valkey or Redis. Every call has a deadline, and calls in flight are limited. After five misses in a row only
// one call a second is tried, so a slow or unreachable server delays no request.
// Tested by test/valkey/connection.test.ts
import { randomBytes } from 'node:crypto'
import { createHash } from 'node:crypto'
import { type RedisClientType, createClient } from '@redis/client'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'

/** Name and version in every key and channel, so that incompatible versions do not share data. */
export const keyPrefix = 'cairn1:'

export type Script = { readonly text: string; readonly sha: string }

/** A Lua script, which runs atomically. It must use only the keys that it is given. */
export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

export type ValkeyClient = RedisClientType

export type ValkeyLimits = {
  /** A call that takes longer is a miss. */
  readonly deadlineMs: number
  /** Limit of calls without a reply, late ones included. */
  readonly inFlightMax: number
  /** Consecutive misses that open the circuit breaker. */
  readonly missesMax: number
  /** Interval of trial calls while the breaker is open. */
  readonly tryMs: number
  /** A connection on which nothing arrives for this time is dead, without a close; a ping is sent five times as often. */
  readonly silentMs: number
}

export const defaultValkeyLimits: ValkeyLimits = {
  deadlineMs: 20,
  inFlightMax: 1_000,
  missesMax: 5,
  tryMs: 1_000,
  silentMs: 5_000,
}

export interface ValkeyConnection {
  /** Rejects with `overloaded`: no reply in time, too many calls in flight, or the breaker is open. */
  call<Reply>(
    send: (client: ValkeyClient) => Promise<Reply>,
    /** Longer than the limit in `ValkeyLimits`, for calls that delay no client request. */
    deadlineMs?: number,
  ): Promise<Reply>
  run(
    one: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<readonly unknown[]>
  /** True if `call` would send now. */
  mayCall(): boolean
  /** `alone`: the breaker is open. */
  readonly state: 'shared' | 'alone'
  /** When the breaker last closed, monotonic. */
  readonly backAt: number
  /** Total of calls without a reply in time. */
  readonly misses: number
  /** Resolves when the connection is open, or after `withinMs`. */
  ready(withinMs: number): Promise<void>
  /** A second connection with the same settings, for subscriptions. */
  duplicate(): ValkeyClient
  close(): Promise<void>
}

/** Reconnects until `close`. Never rejects because the server is unreachable. */
export function connectValkey(parts: {
  /** `valkey:`, `redis:` or `rediss:` (TLS). */
  readonly url: string
  readonly clock: Clock
  readonly log: Log
  readonly limits?: ValkeyLimits
}): ValkeyConnection {
  const { clock, log, limits = defaultValkeyLimits } = parts
  const client = openClient(parts)
  // Tries a server that has reconnected immediately.
  client.on('ready', () => {
    nextTry = 0
  })
  let inFlight = 0
  let missesInRow = 0
  let misses = 0
  let nextTry = 0
  let backAt = Number.NEGATIVE_INFINITY

  function isOpen(): boolean {
    return missesInRow >= limits.missesMax
  }

  function mayCall(): boolean {
    return inFlight < limits.inFlightMax && (!isOpen() || clock.monotonic() >= nextTry)
  }

  function succeed(): void {
    if (isOpen()) {
      backAt = clock.monotonic()
      log('info', 'valkey_back', {})
    }
    missesInRow = 0
  }

  function miss(error: unknown): void {
    misses += 1
    missesInRow += 1
    if (missesInRow === limits.missesMax) log('warn', 'valkey_away', { error: describe(error) })
    if (isOpen()) nextTry = clock.monotonic() + limits.tryMs
  }

  async function call<Reply>(
    send: (client: ValkeyClient) => Promise<Reply>,
    deadlineMs: number = limits.deadlineMs,
  ): Promise<Reply> {
    if (!mayCall()) throw new Fault('overloaded')
    // While the breaker is open, this is the only trial call of the interval.
    if (isOpen()) nextTry = clock.monotonic() + limits.tryMs
    inFlight += 1
    const replying = send(client).finally(() => {
      inFlight -= 1
    })
    try {
      const reply = await within(replying, deadlineMs, clock)
      succeed()
      return reply
    } catch (error) {
      miss(error)
      throw new Fault('overloaded', { cause: error })
    }
  }

  return {
    call,
    mayCall,
    async run({ text, sha }, keys, values) {
      const options = { keys: [...keys], arguments: values.map(String) }
      const reply = await call(async (connected) => {
        try {
          return await connected.evalSha(sha, options)
        } catch (error) {
          if (!isUnknownScript(error)) throw error
          return await connected.eval(text, options)
        }
      })
      return Array.isArray(reply) ? reply : [reply]
    },
    get state() {
      return isOpen() ? 'alone' : 'shared'
    },
    get backAt() {
      return backAt
    },
    get misses() {
      return misses
    },
    ready: (withinMs) =>
      new Promise((resolve) => {
        if (client.isReady) return resolve()
        const stop = clock.after(withinMs, resolve)
        client.once('ready', () => {
          stop()
          resolve()
        })
      }),
    duplicate: () => openClient(parts),
    async close() {
      client.destroy()
    },
  }
}

/** Connects in the background. */
function openClient({
  url,
  clock,
  log,
  limits = defaultValkeyLimits,
}: Parameters<typeof connectValkey>[0]): ValkeyClient {
  let loggedAt = Number.NEGATIVE_INFINITY
  const client = createClient({
    url: url.replace(/^valkey:/, 'redis:').replace(/^valkeys:/, 'rediss:'),
    disableOfflineQueue: true,
    commandsQueueMaxLength: 2 * limits.inFlightMax,
    // Also on the connection of subscriptions, which carries nothing else while no message is published.
    pingInterval: limits.silentMs / 5,
    socket: {
      connectTimeout: 2_000,
      socketTimeout: limits.silentMs,
      reconnectStrategy: (retries) =>
        Math.min(1_000, 50 * 2 ** retries) * (0.5 + Math.random() / 2),
    },
  })
  client.on('error', (error: unknown) => {
    if (clock.monotonic() - loggedAt < 60_000) return
    loggedAt = clock.monotonic()
    log('warn', 'valkey_connection_failed', { error: describe(error) })
  })
  client.connect().catch(() => {})
  return client as ValkeyClient
}

/**
 * Rejects if the reply does not arrive in time. A reply that waits in the socket while this process is busy is in time: it is read
 * before the deadline rejects.
 */
function within<Reply>(replying: Promise<Reply>, deadlineMs: number, clock: Clock): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(deadlineMs, () => {
      setImmediate(() => reject(new Error(`no reply within ${deadlineMs} ms`)))
    })
    replying.then(
      (reply) => {
        stop()
        resolve(reply)
      },
      (error: unknown) => {
        stop()
        reject(error as Error)
      },
    )
  })
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** Omits the URL, which may contain a password. */
function describe(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error'
}

/** A name that is unique among nodes: `name` and a random part. */
export function randomNodeName(name: string): string {
  return `${name}-${randomBytes(4).toString('hex')}`
}

// The core: look in the store, else ask sources in order; verify; keep; return. Unverified bytes never
// leave this folder, whoever brought them: a source, the disk, or an earlier fetch.
import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { createFlight } from '../base/flight.ts'
import type { Log } from '../base/log.ts'
import { createExtras } from './extras.ts'
import { createKeeping } from './keeping.ts'
import { createMemory } from './memory.ts'
import { refKey, type ContentRef, type Held, type Hint, type Obtain, type Verify } from './ref.ts'
import type { Source } from './source.ts'
import type { Store } from './store.ts'

/**
 * `held`: found here, verified. `bad_copy`: the stored copy was wrong and dropped, or cannot be read. Of a
 * source: `fetched`; `lied`: its bytes were not what was asked; `absent`: it has none; `failed`: it could not
 * be asked. `not_kept`: verified, but the store did not take it.
 */
type ObtainEvent = 'held' | 'bad_copy' | 'fetched' | 'lied' | 'absent' | 'failed' | 'not_kept'

export type ObtainParts = {
  readonly store: Store
  /** Asked in this order. */
  readonly sources: readonly Source[]
  readonly verify: Verify
  /** What is worth its place in memory; without it, all but blocks of files. */
  readonly isShared?: (ref: ContentRef, bytes: Uint8Array) => boolean
  readonly clock: Clock
  readonly log: Log
  /** `source`: its name, or null when the event is none of a source. */
  readonly count: (event: ObtainEvent, source: string | null) => void
  readonly limits?: ObtainLimits
}

export type ObtainLimits = {
  /** Refs being fetched at once. */
  readonly flightsMax: number
  /** Verified bytes on their way to the store. */
  readonly keepingBytesMax: number
  readonly extrasMax: number
  readonly extrasBytesMax: number
  /** Verified bytes in memory. */
  readonly memoryBytesMax: number
}

export const defaultObtainLimits: ObtainLimits = {
  flightsMax: 4096,
  keepingBytesMax: 32 * 1024 * 1024,
  extrasMax: 4096,
  extrasBytesMax: 16 * 1024 * 1024,
  memoryBytesMax: 32 * 1024 * 1024,
}

export type Obtaining = {
  /**
   * As `Obtain` says; also `no_upstream` when nobody has it and a source could not be asked, `internal` when
   * nobody has it and the store could not read.
   */
  readonly obtain: Obtain
  readonly held: Held
  /** Verifies and keeps, durable when it resolves. Throws `unverified`, `no_space`. */
  readonly keep: (ref: ContentRef, bytes: Uint8Array) => Promise<void>
  /** Resolves when what was fetched is in the store; for the end of a process, and for tests. */
  readonly idle: () => Promise<void>
}

export function createObtain(parts: ObtainParts): Obtaining {
  const { store, sources, verify, clock, log, count, limits = defaultObtainLimits } = parts
  const { isShared = isNoFile } = parts
  const flight = createFlight<Uint8Array>({ seatsMax: limits.flightsMax })
  const extras = createExtras({ itemsMax: limits.extrasMax, bytesMax: limits.extrasBytesMax })
  const memory = createMemory({ bytesMax: limits.memoryBytesMax })
  const keeping = createKeeping({
    store,
    log,
    bytesMax: limits.keepingBytesMax,
    onLost: () => count('not_kept', null),
  })

  /** What is here already, verified. Throws what `verify` says of a bad copy, or why it cannot be read. */
  function readHeld(ref: ContentRef): Uint8Array | null {
    const remembered = memory.find(ref)
    if (remembered !== null) return remembered
    const bytes = keeping.find(ref) ?? store.find(ref)
    if (bytes === null) return null
    verify(ref, bytes)
    count('held', null)
    remember(ref, bytes)
    return bytes
  }

  function remember(ref: ContentRef, bytes: Uint8Array): void {
    if (isShared(ref, bytes)) memory.add(ref, bytes)
  }

  /** As `readHeld`, or why a copy cannot be read; a wrong copy is dropped. */
  async function findHeld(ref: ContentRef): Promise<Uint8Array | Unread | null> {
    try {
      return readHeld(ref)
    } catch (error) {
      // Wrong bytes, or a disk that cannot read them: both are healed by fetching anew.
      count('bad_copy', null)
      log('error', 'content_bad_copy', { ref: refKey(ref), error })
      // Not dropped: it may be the only copy, and readable a moment later.
      if (!hasCode(error, 'unverified')) return { unread: error }
    }
    try {
      await store.drop(ref)
    } catch (error) {
      log('error', 'content_bad_copy_not_dropped', { ref: refKey(ref), error })
    }
    return null
  }

  function accept(ref: ContentRef, bytes: Uint8Array, source: string): boolean {
    try {
      verify(ref, bytes)
    } catch (error) {
      count('lied', source)
      log('warn', 'source_lied', { source, ref: refKey(ref), error })
      return false
    }
    count('fetched', source)
    keeping.add(ref, bytes)
    remember(ref, bytes)
    return true
  }

  function takeExtra(ref: ContentRef): Uint8Array | null {
    const extra = extras.take(ref)
    return extra !== null && accept(ref, extra.bytes, extra.source) ? extra.bytes : null
  }

  async function fetch(ref: ContentRef, hint: Hint, signal: AbortSignal): Promise<Uint8Array> {
    const key = refKey(ref)
    let lied = false
    let failure: { readonly error: unknown } | null = null
    for (const source of sources) {
      signal.throwIfAborted()
      try {
        const items = await source.fetch(ref, hint, signal)
        const asked = items.filter((item) => refKey(item.ref) === key)
        extras.add(
          source.name,
          items.filter((item) => refKey(item.ref) !== key),
        )
        const good = asked.find(({ bytes }) => accept(ref, bytes, source.name))
        if (good !== undefined) return good.bytes
        if (asked.length > 0) lied = true
        else count('absent', source.name)
      } catch (error) {
        signal.throwIfAborted()
        count('failed', source.name)
        log('warn', 'source_failed', { source: source.name, ref: key, error })
        failure ??= { error }
      }
    }
    if (lied) throw new Fault('unverified')
    // Who could not be asked may have it: absence must not be concluded from a broken connection.
    if (failure !== null) throw asFault(failure.error)
    throw new Fault('not_found')
  }

  async function obtain(ref: ContentRef, hint: Hint, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted()
    const held = await findHeld(ref)
    if (held instanceof Uint8Array) return held
    try {
      return takeExtra(ref) ?? (await obtainElsewhere(ref, hint, signal))
    } catch (thrown) {
      // What cannot be read is there: it must not be reported as absent.
      if (held === null || !hasCode(thrown, 'not_found')) throw thrown
      throw new Fault('internal', { cause: held.unread })
    }
  }

  async function obtainElsewhere(
    ref: ContentRef,
    hint: Hint,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (hint.offline === true) throw new Fault('not_found')
    const work = (shared: AbortSignal): Promise<Uint8Array> => fetch(ref, hint, shared)
    if (hint.patienceMs === undefined) return await flight.join(refKey(ref), signal, work)
    using deadline = withDeadline(signal, hint.patienceMs, clock)
    return await flight.join(refKey(ref), deadline.signal, work)
  }

  return {
    obtain,
    held(ref) {
      try {
        return readHeld(ref)
      } catch {
        return null
      }
    },
    async keep(ref, bytes) {
      verify(ref, bytes)
      await store.commit([{ ref, bytes }])
    },
    idle: () => keeping.idle(),
  }
}

/** A copy that is there but cannot be read, and what was thrown. */
type Unread = { readonly unread: unknown }

function hasCode(error: unknown, code: FaultCode): boolean {
  return error instanceof Fault && error.code === code
}

function isNoFile({ kind }: ContentRef): boolean {
  return kind !== 'dag-block'
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('no_upstream', { cause: error })
}

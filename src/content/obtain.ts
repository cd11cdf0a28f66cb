// The core: look in the store, else ask sources in order; verify; keep; return. Unverified bytes never
// leave this folder, whoever brought them: a source, the disk, or an earlier fetch. While looks for trie nodes on disk
// are in vain, sources may be asked before it (vain-looks.ts), never instead of it.
import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { Fault, type FaultCode } from '../base/fault.ts'
import { createFlight } from '../base/flight.ts'
import type { Log } from '../base/log.ts'
import { createExtras } from './extras.ts'
import { createKeeping } from './keeping.ts'
import { createMemory } from './memory.ts'
import { defaultObtainLimits, type ObtainLimits } from './obtain-limits.ts'
import {
  isSameRef,
  refKey,
  type ContentRef,
  type Held,
  type HeldNode,
  type Hint,
  type Item,
  type NameOf,
  type Obtain,
  type Verify,
} from './ref.ts'
import { watchAll } from './read-watch.ts'
import type { Nameless, Offer, Source } from './source.ts'
import type { Store } from './store.ts'
import { createVainLooks } from './vain-looks.ts'

/**
 * `remembered`: found in memory, verified before. `held`: found here, verified. `bad_copy`: the stored copy was wrong and
 * dropped, or cannot be read. Of a source: `fetched`; `lied`: its bytes were not what was asked; `absent`: it has none;
 * `failed`: it could not be asked. `not_kept`: verified, but the store did not take it.
 */
export type ObtainEvent =
  | 'remembered'
  | 'held'
  | 'bad_copy'
  | 'fetched'
  | 'lied'
  | 'absent'
  | 'failed'
  | 'not_kept'

export type ObtainParts = {
  readonly store: Store
  /** Who may be asked with this hint, in this order. */
  readonly sourcesFor: (hint: Hint) => readonly Source[]
  readonly verify: Verify
  /** Without it nameless bytes are not taken. */
  readonly nameOf?: NameOf
  /** What is worth its place in memory; without it, all but blocks of files. */
  readonly isShared?: (ref: ContentRef, bytes: Uint8Array) => boolean
  readonly clock: Clock
  readonly log: Log
  /** `source`: its name, or null when the event is none of a source. */
  readonly count: (event: ObtainEvent, source: string | null) => void
  readonly limits?: ObtainLimits
}

/** A look takes less than a thousandth of it. */
const lateMs = 25

export type Obtaining = {
  /**
   * As `Obtain` says; also `no_upstream` when nobody has it and a source could not be asked, `internal` when
   * nobody has it and the store could not read.
   */
  readonly obtain: Obtain
  readonly held: Held
  readonly heldNode: HeldNode
  /** The same for those who ask `obtain` next: null also of a node on disk, when looks there were in vain lately. */
  readonly heldNodeOrAsk: HeldNode
  /** Verifies and keeps, durable when it resolves. Throws `unverified`, `no_space`. */
  readonly keep: (ref: ContentRef, bytes: Uint8Array) => Promise<void>
  /** Resolves when what was fetched is in the store; for the end of a process, and for tests. */
  readonly idle: () => Promise<void>
}

export function createObtain(parts: ObtainParts): Obtaining {
  const { store, sourcesFor, verify, nameOf, clock, log, count } = parts
  const { limits = defaultObtainLimits } = parts
  const { isShared = isNoFile } = parts
  const flight = createFlight<Uint8Array>({ seatsMax: limits.flightsMax })
  const extras = createExtras({ itemsMax: limits.extrasMax, bytesMax: limits.extrasBytesMax })
  /** By `flightKey`, of the callers who wait for it now. */
  const waiting = new Map<string, Hint[]>()
  const memory = createMemory({ bytesMax: limits.memoryBytesMax })
  const looks = createVainLooks()
  const keeping = createKeeping({
    store,
    log,
    bytesMax: limits.keepingBytesMax,
    clock,
    onLost: () => count('not_kept', null),
  })

  /**
   * What is here already, verified; `mayPass`: sources are asked next, so the disk may be left out. Throws what `verify`
   * says of a bad copy, or why it cannot be read.
   */
  function readHeld(ref: ContentRef, mayPass: boolean): Uint8Array | null {
    const remembered = memory.find(ref)
    if (remembered !== null) {
      count('remembered', null)
      return remembered
    }
    return readBeyondMemory(ref, mayPass)
  }

  function readBeyondMemory(ref: ContentRef, mayPass: boolean): Uint8Array | null {
    // What a reply brought is taken before the disk is asked, which has it only after the next commit.
    const extra = takeExtra(ref)
    if (extra !== null) return extra
    const bytes = look(ref, mayPass)
    if (bytes === null) return null
    verify(ref, bytes)
    count('held', null)
    remember(ref, bytes)
    return bytes
  }

  function look(ref: ContentRef, mayPass: boolean): Uint8Array | null {
    const kept = keeping.find(ref)
    if (kept !== null || (mayPass && looks.areVain)) return kept
    const bytes = store.find(ref)
    if (mayPass && bytes !== null) looks.found()
    return bytes
  }

  function remember(ref: ContentRef, bytes: Uint8Array): void {
    if (isShared(ref, bytes)) memory.add(ref, bytes)
  }

  /** As `readHeld`, or why a copy cannot be read; a wrong copy is dropped, and only that is waited for. */
  function findHeld(ref: ContentRef, mayPass: boolean): Uint8Array | Unread | null | Promise<null> {
    try {
      return readHeld(ref, mayPass)
    } catch (error) {
      // Wrong bytes, or a disk that cannot read them: both are healed by fetching anew.
      count('bad_copy', null)
      log('error', 'content_bad_copy', { ref: refKey(ref), error })
      // Not dropped: it may be the only copy, and readable a moment later.
      return hasCode(error, 'unverified') ? drop(ref) : { unread: error }
    }
  }

  async function drop(ref: ContentRef): Promise<null> {
    try {
      await store.drop(ref)
    } catch (error) {
      log('error', 'content_bad_copy_not_dropped', { ref: refKey(ref), error })
    }
    return null
  }

  function accept(ref: ContentRef, bytes: Uint8Array, source: string, proved = false): boolean {
    try {
      if (!proved) verify(ref, bytes)
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
    if (extra === null) return null
    return accept(ref, extra.bytes, extra.source, extra.proved) ? extra.bytes : null
  }

  /** The name that its bytes give; null for what is not well formed. */
  function nameOrNull({ kind, bytes }: Nameless): ContentRef | null {
    try {
      return nameOf === undefined ? null : { kind, hash: nameOf(kind, bytes) }
    } catch (thrown) {
      if (hasCode(thrown, 'unverified')) return null
      throw thrown
    }
  }

  /** What one source offers for `ref`; the last word in `state`. */
  function receive(
    ref: ContentRef,
    source: string,
    hints: () => readonly Hint[],
  ): { offer: Offer; state: Received } {
    const state: Received = { bytes: null, lied: false }

    function offer(offered: readonly (Item | Nameless)[]): ReturnType<Offer> {
      if (offered.length === 0) return judge(offered)
      const judged = watchAll(hints(), 'verify', '')
      const outcome = judge(offered)
      judged(outcome)
      return outcome
    }

    function judge(offered: readonly (Item | Nameless)[]): ReturnType<Offer> {
      let proved: Uint8Array | null = null
      const claims: Uint8Array[] = []
      for (const item of offered) {
        const isClaim = 'ref' in item
        const { bytes } = item
        const own = isClaim ? item.ref : nameOrNull(item)
        if (own === null) continue
        if (!isSameRef(own, ref)) extras.add(source, [{ ref: own, bytes }], !isClaim)
        else if (isClaim) claims.push(bytes)
        else proved ??= bytes
      }
      // Another source, or another reply of this one, may have brought it meanwhile.
      state.bytes ??= memory.find(ref) ?? takeExtra(ref)
      if (state.bytes !== null) return 'taken'
      if (proved !== null && accept(ref, proved, source, true)) state.bytes = proved
      else state.bytes = claims.find((bytes) => accept(ref, bytes, source)) ?? null
      if (state.bytes !== null) return 'taken'
      if (claims.length === 0) return 'missing'
      state.lied = true
      return 'wrong'
    }
    return { offer, state }
  }

  /** `key`: by which its callers are known. */
  async function fetch(
    key: string,
    ref: ContentRef,
    hint: Hint,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const hints = (): readonly Hint[] => waiting.get(key) ?? [hint]
    let lied = false
    let failure: { readonly error: unknown } | null = null
    for (const source of sourcesFor(hint)) {
      signal.throwIfAborted()
      const { offer, state } = receive(ref, source.name, hints)
      try {
        await source.fetch({ ref, hint, hints }, offer, signal)
        if (state.bytes !== null) return state.bytes
        if (!state.lied) count('absent', source.name)
      } catch (error) {
        if (state.bytes !== null) return state.bytes
        signal.throwIfAborted()
        count('failed', source.name)
        // What a source chose to say is for the caller; anything else is for the operator.
        const level = hasCode(error, 'unprovable') ? 'debug' : 'warn'
        log(level, 'source_failed', { source: source.name, ref: refKey(ref), error })
        failure ??= { error }
      }
      lied ||= state.lied
    }
    // A source that says what was wrong says it better.
    if (lied && failure !== null && hasCode(failure.error, 'unverified')) throw failure.error
    if (lied) throw new Fault('unverified')
    // Who could not be asked may have it: absence must not be concluded from a broken connection.
    if (failure !== null) throw asFault(failure.error)
    throw new Fault('not_found')
  }

  async function obtain(ref: ContentRef, hint: Hint, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted()
    const looked = hint.watch?.('store', '')
    // Only of nodes is it known that somebody else has nearly all.
    const mayPass = ref.kind === 'trie-node' && hint.offline !== true && sourcesFor(hint).length > 0
    const passes = mayPass && looks.areVain
    const found = findHeld(ref, mayPass)
    const held = found instanceof Promise ? await found : found
    looked?.(held instanceof Uint8Array ? 'held' : 'absent')
    if (held instanceof Uint8Array) return held
    if (mayPass) looks.missed()
    try {
      return await (passes
        ? obtainUnlessLate(ref, hint, signal)
        : obtainElsewhere(ref, hint, signal))
    } catch (thrown) {
      const late = passes && !signal.aborted ? await findPassed(ref) : held
      if (late instanceof Uint8Array) return late
      // What cannot be read is there: it must not be reported as absent.
      if (late === null || !hasCode(thrown, 'not_found')) throw thrown
      throw new Fault('internal', { cause: late.unread })
    }
  }

  /** Sources that take long are not waited for where the disk has it. */
  function obtainUnlessLate(ref: ContentRef, hint: Hint, signal: AbortSignal): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const stopTimer = clock.after(lateMs, () => {
      void findPassed(ref).then((found) => {
        if (found instanceof Uint8Array) resolve(found)
      })
    })
    obtainElsewhere(ref, hint, signal).then(
      (bytes) => {
        stopTimer()
        resolve(bytes)
      },
      (thrown: unknown) => {
        stopTimer()
        reject(thrown as Error)
      },
    )
    return promise
  }

  /** On disk, where it was not looked for. */
  async function findPassed(ref: ContentRef): Promise<Uint8Array | Unread | null> {
    const found = await findHeld(ref, false)
    if (found instanceof Uint8Array) looks.found()
    return found
  }

  async function obtainElsewhere(
    ref: ContentRef,
    hint: Hint,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (hint.offline === true) throw new Fault('not_found')
    const key = flightKey(ref, hint)
    const work = (shared: AbortSignal): Promise<Uint8Array> => fetch(key, ref, hint, shared)
    const hints = waiting.get(key) ?? []
    hints.push(hint)
    waiting.set(key, hints)
    try {
      if (hint.patienceMs === undefined) return await flight.join(key, signal, work)
      using deadline = withDeadline(signal, hint.patienceMs, clock)
      return await flight.join(key, deadline.signal, work)
    } finally {
      hints.splice(hints.indexOf(hint), 1)
      if (hints.length === 0) waiting.delete(key)
    }
  }

  function held(ref: ContentRef): Uint8Array | null {
    try {
      return readHeld(ref, false)
    } catch {
      return null
    }
  }

  function heldBeyondMemory(ref: ContentRef, mayPass: boolean): Uint8Array | null {
    try {
      return readBeyondMemory(ref, mayPass)
    } catch {
      return null
    }
  }

  function heldNode(from: Uint8Array, at: number, mayPass: boolean): Uint8Array | null {
    return (
      memory.findAt('trie-node', from, at) ??
      heldBeyondMemory({ kind: 'trie-node', hash: from.subarray(at, at + 32) }, mayPass)
    )
  }

  return {
    obtain,
    held,
    heldNode: (from, at) => heldNode(from, at, false),
    heldNodeOrAsk: (from, at) => heldNode(from, at, true),
    async keep(ref, bytes) {
      verify(ref, bytes)
      await store.commit([{ ref, bytes }])
    },
    idle: () => keeping.idle(),
  }
}

/** `bytes`: verified, once there are any. */
type Received = { bytes: Uint8Array | null; lied: boolean }

/** A copy that is there but cannot be read, and what was thrown. */
type Unread = { readonly unread: unknown }

function hasCode(error: unknown, code: FaultCode): boolean {
  return error instanceof Fault && error.code === code
}

/** Two networks may share content, but not who can be asked for it. */
function flightKey(ref: ContentRef, { network = '' }: Hint): string {
  return `${network} ${refKey(ref)}`
}

function isNoFile({ kind }: ContentRef): boolean {
  return kind !== 'dag-block'
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('no_upstream', { cause: error })
}

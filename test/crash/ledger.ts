// Records acknowledged changes and changes that were only requested. A pin may be present or absent if a kill interrupted its
// command or if two commands changed it concurrently.
import type { Content } from './content.ts'

export type Entry = {
  readonly content: Content
  readonly cid: string
  state: 'pinned' | 'free' | 'either'
  /** Commands in flight for this pin. */
  inFlight: number
  /** Several commands were in flight. */
  hasConflict: boolean
  /** Not checked since its last change. */
  unchecked: boolean
  /** Number of commands, including those in flight. */
  changes: number
}

export type Ledger = {
  readonly entries: Map<string, Entry>
  /** Contents being added, whose CIDs are still unknown. */
  readonly pendingAdds: Set<Content>
  /** Content without a pin, except content that a concurrent `repo/gc` may have deleted. */
  readonly unpinned: Map<string, Content>
  /** Number of `repo/gc` calls so far. */
  collections: number
  collecting: boolean
  acknowledged: number
}

export function createLedger(): Ledger {
  return {
    entries: new Map(),
    pendingAdds: new Set(),
    unpinned: new Map(),
    collections: 0,
    collecting: false,
    acknowledged: 0,
  }
}

/** Adds new content; `send` resolves with its CID. */
export async function addPinned(
  { entries, pendingAdds }: Ledger,
  content: Content,
  send: () => Promise<string>,
): Promise<void> {
  pendingAdds.add(content)
  const cid = await send()
  pendingAdds.delete(content)
  entries.set(cid, {
    content,
    cid,
    state: 'pinned',
    inFlight: 0,
    hasConflict: false,
    unchecked: true,
    changes: 0,
  })
}

/** Runs a command for one pin; `send` resolves with the new state, null: unchanged. */
export async function changePin(
  entry: Entry,
  send: () => Promise<'pinned' | 'free' | null>,
): Promise<void> {
  entry.inFlight += 1
  entry.changes += 1
  if (entry.inFlight > 1) entry.hasConflict = true
  const before = entry.state
  entry.state = 'either'
  entry.unchecked = true
  const after = (await send()) ?? before
  entry.inFlight -= 1
  if (!entry.hasConflict) entry.state = after
  if (entry.inFlight === 0) entry.hasConflict = false
}

/** Adds leased content. It is expected to exist unless a collection ran at the same time. */
export async function addLeased(
  ledger: Ledger,
  content: Content,
  send: () => Promise<string>,
): Promise<void> {
  const before = ledger.collections
  const cid = await send()
  if (!ledger.collecting && ledger.collections === before) ledger.unpinned.set(cid, content)
}

/** Runs a collection, which releases all leases. */
export async function runCollection(ledger: Ledger, send: () => Promise<void>): Promise<void> {
  ledger.collections += 1
  ledger.collecting = true
  ledger.unpinned.clear()
  await send()
  ledger.collecting = false
}

/**
 * The acknowledged state now. `complete`: marks changes that were in flight or were requested since, for which either state is
 * correct.
 */
export function snapshotLedger(ledger: Ledger): { complete(): Ledger } {
  const entries = new Map([...ledger.entries].map(([cid, entry]) => [cid, { ...entry }]))
  const pendingAdds = new Set(ledger.pendingAdds)
  const unpinned = new Map(ledger.unpinned)
  const { collections, collecting } = ledger
  return {
    complete() {
      for (const [cid, { content, changes }] of ledger.entries) {
        const before = entries.get(cid)
        if (before === undefined) pendingAdds.add(content)
        else if (before.inFlight > 0 || before.changes !== changes) before.state = 'either'
      }
      for (const content of ledger.pendingAdds) pendingAdds.add(content)
      const isCollected = collecting || ledger.collections !== collections
      return {
        entries,
        pendingAdds,
        unpinned: isCollected ? new Map() : unpinned,
        collections,
        collecting: false,
        acknowledged: ledger.acknowledged,
      }
    },
  }
}

/** After a restart: no command is in flight, and undecided pins get the server's state. */
export function resolveUndecided(ledger: Ledger, pinned: ReadonlySet<string>): void {
  ledger.collecting = false
  for (const entry of ledger.entries.values()) {
    entry.inFlight = 0
    entry.hasConflict = false
    if (entry.state === 'either') entry.state = pinned.has(entry.cid) ? 'pinned' : 'free'
  }
}

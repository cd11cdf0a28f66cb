// Records acknowledged changes and changes that were only requested. A pin may be present or absent if a kill interrupted its
// command or if two commands changed it concurrently.
import type { Content } from './content.ts'

export type Entry = {
  readonly content: Content
  readonly cid: string
  state: 'pinned' | 'free' | 'either'
  /** Commands in flight for this pin. */
  busy: number
  /** Several commands were in flight. */
  clash: boolean
  /** Not checked since its last change. */
  fresh: boolean
  /** Number of commands, including those in flight. */
  changes: number
}

export type Ledger = {
  readonly entries: Map<string, Entry>
  /** Contents being added, whose CIDs are still unknown. */
  readonly coming: Set<Content>
  /** Content without a pin, except content that a concurrent `repo/gc` may have deleted. */
  readonly loose: Map<string, Content>
  /** Number of `repo/gc` calls so far. */
  collections: number
  collecting: boolean
  acknowledged: number
}

export function createLedger(): Ledger {
  return {
    entries: new Map(),
    coming: new Set(),
    loose: new Map(),
    collections: 0,
    collecting: false,
    acknowledged: 0,
  }
}

/** Adds new content; `send` resolves with its CID. */
export async function bring(
  { entries, coming }: Ledger,
  content: Content,
  send: () => Promise<string>,
): Promise<void> {
  coming.add(content)
  const cid = await send()
  coming.delete(content)
  entries.set(cid, {
    content,
    cid,
    state: 'pinned',
    busy: 0,
    clash: false,
    fresh: true,
    changes: 0,
  })
}

/** Runs a command for one pin; `send` resolves with the new state, null: unchanged. */
export async function change(
  entry: Entry,
  send: () => Promise<'pinned' | 'free' | null>,
): Promise<void> {
  entry.busy += 1
  entry.changes += 1
  if (entry.busy > 1) entry.clash = true
  const before = entry.state
  entry.state = 'either'
  entry.fresh = true
  const after = (await send()) ?? before
  entry.busy -= 1
  if (!entry.clash) entry.state = after
  if (entry.busy === 0) entry.clash = false
}

/** Adds leased content. It is expected to exist unless a collection ran at the same time. */
export async function lease(
  ledger: Ledger,
  content: Content,
  send: () => Promise<string>,
): Promise<void> {
  const before = ledger.collections
  const cid = await send()
  if (!ledger.collecting && ledger.collections === before) ledger.loose.set(cid, content)
}

/** Runs a collection, which releases all leases. */
export async function collect(ledger: Ledger, send: () => Promise<void>): Promise<void> {
  ledger.collections += 1
  ledger.collecting = true
  ledger.loose.clear()
  await send()
  ledger.collecting = false
}

/**
 * The acknowledged state now. `complete`: marks changes that were in flight or were requested since, for which either state is
 * correct.
 */
export function freeze(ledger: Ledger): { complete(): Ledger } {
  const entries = new Map([...ledger.entries].map(([cid, entry]) => [cid, { ...entry }]))
  const coming = new Set(ledger.coming)
  const loose = new Map(ledger.loose)
  const { collections, collecting } = ledger
  return {
    complete() {
      for (const [cid, { content, changes }] of ledger.entries) {
        const before = entries.get(cid)
        if (before === undefined) coming.add(content)
        else if (before.busy > 0 || before.changes !== changes) before.state = 'either'
      }
      for (const content of ledger.coming) coming.add(content)
      const isCollected = collecting || ledger.collections !== collections
      return {
        entries,
        coming,
        loose: isCollected ? new Map() : loose,
        collections,
        collecting: false,
        acknowledged: ledger.acknowledged,
      }
    },
  }
}

/** After a restart: no command is in flight, and undecided pins get the server's state. */
export function settle(ledger: Ledger, pinned: ReadonlySet<string>): void {
  ledger.collecting = false
  for (const entry of ledger.entries.values()) {
    entry.busy = 0
    entry.clash = false
    if (entry.state === 'either') entry.state = pinned.has(entry.cid) ? 'pinned' : 'free'
  }
}

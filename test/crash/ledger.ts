// What a server has acknowledged, told from what was only asked for: a pin whose command was cut off by a kill, or that
// two commands were about at once, may be there or not.
import type { Content } from './content.ts'

export type Kept = {
  readonly content: Content
  readonly cid: string
  state: 'pinned' | 'free' | 'either'
  /** Commands under way that are about it. */
  busy: number
  /** More than one was. */
  clash: boolean
  /** Not looked at since it last changed. */
  fresh: boolean
}

export type Ledger = {
  readonly kept: Map<string, Kept>
  /** Contents on their way in whose CIDs nobody was told. */
  readonly coming: Set<Content>
  /** Brought and not pinned; what a `repo/gc` that was under way may have taken is not here. */
  readonly loose: Map<string, Content>
  /** How many `repo/gc` were begun. */
  collections: number
  collecting: boolean
  acknowledged: number
}

export function createLedger(): Ledger {
  return {
    kept: new Map(),
    coming: new Set(),
    loose: new Map(),
    collections: 0,
    collecting: false,
    acknowledged: 0,
  }
}

/** Adds what is not known yet; its CID is told by `send`. */
export async function bring(
  { kept, coming }: Ledger,
  content: Content,
  send: () => Promise<string>,
): Promise<void> {
  coming.add(content)
  const cid = await send()
  coming.delete(content)
  kept.set(cid, { content, cid, state: 'pinned', busy: 0, clash: false, fresh: true })
}

/** Runs a command about one pin; `send` tells what it came to, null: nothing was done. */
export async function change(
  entry: Kept,
  send: () => Promise<'pinned' | 'free' | null>,
): Promise<void> {
  entry.busy += 1
  if (entry.busy > 1) entry.clash = true
  const before = entry.state
  entry.state = 'either'
  entry.fresh = true
  const after = (await send()) ?? before
  entry.busy -= 1
  if (!entry.clash) entry.state = after
  if (entry.busy === 0) entry.clash = false
}

/** Brings a leased content: it is sure unless a collection of the account ran meanwhile. */
export async function lease(
  ledger: Ledger,
  content: Content,
  send: () => Promise<string>,
): Promise<void> {
  const before = ledger.collections
  const cid = await send()
  if (!ledger.collecting && ledger.collections === before) ledger.loose.set(cid, content)
}

/** Lets go of all that is leased. */
export async function collect(ledger: Ledger, send: () => Promise<void>): Promise<void> {
  ledger.collections += 1
  ledger.collecting = true
  ledger.loose.clear()
  await send()
  ledger.collecting = false
}

/** After a restart: nothing is under way, and what was open is as the server says. */
export function settle(ledger: Ledger, pinned: ReadonlySet<string>): void {
  ledger.collecting = false
  for (const entry of ledger.kept.values()) {
    entry.busy = 0
    entry.clash = false
    if (entry.state === 'either') entry.state = pinned.has(entry.cid) ? 'pinned' : 'free'
  }
}

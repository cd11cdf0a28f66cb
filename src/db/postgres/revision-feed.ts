// Notifications about raised revisions, on a separate connection. They only save time: one can be lost, so readers also check the
// revision each second.
// Tested by src/db/postgres/revision-feed.test.ts
import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import type { Connections } from './connections.ts'
import { revisionChannel } from './schema.ts'

export type RevisionName = 'accounts' | 'denials' | 'networks' | 'people'

export type RevisionFeed = {
  /**
   * Calls `changed` after rows with that revision changed, and whenever notifications may have been lost. The returned function
   * ends it.
   */
  onRevision(name: RevisionName, changed: () => void): () => void
  stop(): Promise<void>
}

const waitMs = 100
const waitMsMax = 5000

/** Connects in the background, and reconnects. */
export function followRevisions(parts: {
  readonly connections: Pick<Connections, 'open'>
  readonly clock: Clock
}): RevisionFeed {
  const { connections, clock } = parts
  const listeners = new Map<RevisionName, Set<() => void>>()
  let client: pg.Client | null = null
  let cancel = (): void => {}
  let pauseMs = waitMs
  let isStopped = false

  function announce(name: string | undefined): void {
    for (const changed of listeners.get(name as RevisionName) ?? []) changed()
  }

  function announceAll(): void {
    for (const name of listeners.keys()) announce(name)
  }

  function reconnect(): void {
    client = null
    if (isStopped) return
    cancel = clock.after(pauseMs * (0.75 + Math.random() / 2), () => void listen())
    pauseMs = Math.min(2 * pauseMs, waitMsMax)
  }

  async function listen(): Promise<void> {
    let opened: pg.Client
    try {
      opened = await connections.open()
    } catch {
      // The readers report that the database is unreachable.
      reconnect()
      return
    }
    if (isStopped) return await opened.end()
    client = opened
    opened.on('notification', ({ payload }) => announce(payload))
    opened.on('error', () => {})
    opened.once('end', reconnect)
    try {
      await opened.query(`LISTEN ${revisionChannel}`)
      pauseMs = waitMs
      announceAll()
    } catch {
      // The end of the connection is reported by its event.
      await opened.end().catch(() => {})
    }
  }

  void listen()
  return {
    onRevision(name, changed) {
      const known = listeners.get(name) ?? new Set()
      listeners.set(name, known.add(changed))
      return () => known.delete(changed)
    },
    async stop() {
      isStopped = true
      cancel()
      await client?.end()
    },
  }
}

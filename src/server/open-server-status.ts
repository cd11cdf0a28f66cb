// Status of the running server for admin operations.
// Tested by test/status.test.ts
import type { Config } from '../config/settings.ts'
import { showUrl } from '../config/show.ts'
import { databaseBytes } from '../db/database-bytes.ts'
import type { Database } from '../db/sqlite.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Network } from '../chain/network.ts'
import type { Rows } from '../db/rows.ts'
import { listInvalidReplies } from '../tables/invalid-replies.ts'
import type { ServerStatus } from '../admin/resources/server/server-status.ts'
import type { OpenNetworks } from './open-networks.ts'
import { cairnVersion } from './version.ts'

export type ServerStatusDeps = {
  readonly opened: Pick<OpenNetworks, 'networks' | 'statuses'>
  readonly store: { readonly isWritable: boolean; readonly bytes: number }
  /** Bytes of unfinished uploads on disk. */
  readonly uploadBytes: () => number
  readonly database: Database
  readonly rows: Pick<Rows, 'find'>
  readonly settings: { readonly now: Config }
  readonly ready: () => boolean
  /** Ports of the APIs; null before they listen. */
  readonly port: () => number | null
  readonly started: number
}

export function openServerStatus(parts: ServerStatusDeps): ServerStatus {
  const { opened, store, uploadBytes, database, rows, settings, ready, port, started } = parts

  function urlOf(network: string, upstream: string): string {
    const listed = settings.now.networks?.find(({ name }) => name === network)
    if (listed === undefined || listed.embedded) return ''
    const found = listed.upstreams.find(({ name }) => name === upstream)
    return found === undefined ? '' : showUrl(found.url)
  }

  return {
    version: cairnVersion(),
    started,
    get ready() {
      return ready()
    },
    get facesPort() {
      return settings.now.admin.host === null ? null : port()
    },
    networks: () =>
      opened.networks().map((network) => {
        const head = latestOf(network)
        const { name, chainId, relay } = network
        const anchor = head?.anchor ?? null
        return { name, chainId, embedded: relay === null, head: head?.number ?? null, anchor }
      }),
    store: () => ({
      writable: store.isWritable,
      // Chain data is in the database, and `store.bytesMax` limits both together.
      bytes: store.bytes + databaseBytes(database) + uploadBytes(),
      bytesMax: settings.now.store.bytesMax,
    }),
    gateway: () => settings.now.gateway,
    upstreams: () =>
      opened.statuses().flatMap(({ network, status }) =>
        status.upstreams.map(({ reach: _reach, lacks: _lacks, ...upstream }) => ({
          network,
          url: urlOf(network, upstream.name),
          ...upstream,
        })),
      ),
    alarms: () =>
      opened
        .statuses()
        .flatMap(({ network, status }) =>
          status.alarms.map(({ need, since }) => ({ network, need, since })),
        ),
    lies: (limit) => rows.find(listInvalidReplies(limit)),
  }
}

function latestOf({ head }: Network): BlockRef | null {
  try {
    return head.latest()
  } catch {
    return null
  }
}

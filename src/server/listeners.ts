// The listeners: one for all APIs, and one for the admin API alone if it has its own address.
// Tested by test/admin/admin.test.ts
import { chmod, rm } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import { createListedIps } from '../base/addresses.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { createClientAddress } from '../http/request-head.ts'
import {
  createServer,
  defaultServerSettings,
  type Server,
  type WorkerShare,
} from '../http/server.ts'
import type { ListenAddress } from '../http/listen.ts'
import type { TlsCertificate } from '../http/tls-certificate.ts'
import type { WatchedCertificate } from './watch-certificate.ts'
import { urlOf } from './open-access.ts'
import type { OpenEndpoints } from './open-endpoints.ts'
import type { PassedSockets } from './systemd.ts'

export type Listeners = {
  /** Resolves when both listen, or rejects with a sentence for the operator. Call it once. */
  listen(endpoints: OpenEndpoints): Promise<{
    readonly url: string
    /** URL of the admin API; null: turned off. */
    readonly adminUrl: string | null
  }>
  /** Port of the APIs; null: not listening yet. */
  port(): number | null
  /** Open connections by listener: `faces`, `admin`. */
  connections(): ReadonlyMap<string, number>
  /** In the keeper: drains the connections that this worker passed on. */
  drainWorker(worker: number): void
  /** Resolves when no request is running; drains the admin listener first. Ignores listeners that are not open. */
  drain(): Promise<void>
}

/** Role of this process if several processes serve. */
export type ListenerRole =
  /**
   * All APIs on a socket for workers, and the admin listener. `bound`: called when that socket is open; resolves with the port of
   * the workers.
   */
  | { readonly kind: 'keeper'; readonly path: string; readonly bound: () => Promise<number> }
  | { readonly kind: 'worker'; readonly share: WorkerShare }

/** Part of `http.drainMs` in which open connections may still send a call. */
const graceShare = 0.25

export function createListeners(parts: {
  /** Settings at startup. */
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  /** Certificate of both listeners; null: plain HTTP. */
  readonly certificate: WatchedCertificate | null
  readonly sockets: PassedSockets
  /** Null: the only process. */
  readonly role: ListenerRole | null
  readonly clock: Clock
  readonly log: Log
}): Listeners {
  const { config, settings, certificate, sockets, role, clock, log } = parts
  const { host, drainMs } = config.http
  const limits = { graceMs: drainMs * graceShare, deadlineMs: drainMs }
  const shared = {
    settings: {
      ...defaultServerSettings,
      listener: config.http.listener,
      keepAliveMs: config.http.keepAliveMs,
      headersMs: config.http.headersMs,
      connectionsMax: config.http.connectionsMax,
      connectionsPerAddressMax: config.http.connectionsPerAddressMax,
    },
    clientAddress: createClientAddress(createListedIps(() => settings.now.http.trustedProxies)),
    logAnswers: () => settings.now.log.level === 'debug',
    clock,
    log,
  }
  const listening = new Map<string, Server>()
  let bound: number | null = null

  async function add(name: string, server: Server, where: ListenAddress): Promise<number> {
    const port = await server.listen(where)
    listening.set(name, server)
    certificate?.onChange(server.changeCertificate)
    return port
  }

  async function openFaces(
    endpoints: Omit<OpenEndpoints, 'adminRoutes'>,
    tls: { readonly certificate?: TlsCertificate },
  ): Promise<number> {
    if (role?.kind === 'keeper') {
      // The workers have already decrypted the TLS.
      const server = createServer({ ...shared, ...endpoints, isKeeper: true })
      // Removes the socket of a killed keeper; this process holds the lock of the folder.
      await rm(role.path, { force: true })
      await server.listen({ host, port: 0, path: role.path })
      listening.set('faces', server)
      await chmod(role.path, 0o600)
      return await role.bound()
    }
    const share = role === null ? {} : { share: role.share }
    const server = createServer({ ...shared, ...tls, ...share, ...endpoints })
    return await add('faces', server, { host, port: config.http.port, descriptor: sockets.http })
  }

  return {
    async listen({ adminRoutes, ...endpoints }) {
      if (sockets.admin !== null && adminRoutes === null) {
        throw new Error(
          'a socket named admin was passed, and admin.host is not set: set admin.host',
        )
      }
      const tls = certificate === null ? {} : { certificate: certificate.current }
      bound = await openFaces(endpoints, tls)
      const url = urlOf({ host, port: bound }, certificate !== null)
      const isOn = config.admin.enabled
      if (adminRoutes === null) return { url, adminUrl: isOn ? url : null }
      const plain = { ...shared.settings, listener: 'node' as const }
      const adminParts = { ...shared, ...tls, settings: plain, routes: adminRoutes }
      const adminServer = createServer(adminParts)
      const where = {
        host: config.admin.host ?? host,
        port: config.admin.port,
        descriptor: sockets.admin,
      }
      const adminPort = await add('admin', adminServer, where)
      const place = { host: where.host, port: adminPort }
      return { url, adminUrl: isOn ? urlOf(place, certificate !== null) : null }
    },
    port: () => bound,
    connections: () =>
      new Map([...listening].map(([name, { connections }]) => [name, connections])),
    drainWorker: (worker) => listening.get('faces')?.drainWorker(worker, limits),
    async drain() {
      for (const server of [...listening.values()].reverse()) await server.drain(limits)
    },
  }
}

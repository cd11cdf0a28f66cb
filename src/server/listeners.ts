// The listeners: one for all APIs, and one for the admin API alone if it has its own address.
// Tested by test/admin/admin.test.ts
import type { Clock } from '../base/clock.ts'
import { createListedIps } from '../base/addresses.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import { createClientAddress } from '../http/request-head.ts'
import { createServer, defaultServerSettings, type Server } from '../http/server.ts'
import type { ListenAddress } from '../http/listen.ts'
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
  /** Resolves when no request is running; drains the admin listener first. Skips listeners that are not open. */
  drain(): Promise<void>
}

/** Part of `http.drainMs` in which open connections may still send a call. */
const graceShare = 0.25

export function createListeners(parts: {
  /** At the start. */
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  /** Of both listeners; null: they speak plain HTTP. */
  readonly certificate: WatchedCertificate | null
  readonly sockets: PassedSockets
  readonly clock: Clock
  readonly log: Log
}): Listeners {
  const { config, settings, certificate, sockets, clock, log } = parts
  const { host, drainMs } = config.http
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

  return {
    async listen({ adminRoutes, ...endpoints }) {
      if (sockets.admin !== null && adminRoutes === null) {
        throw new Error(
          'a socket named admin was passed, and admin.host is not set: set admin.host',
        )
      }
      const tls = certificate === null ? {} : { certificate: certificate.current }
      const at = { host, port: config.http.port, descriptor: sockets.http }
      bound = await add('faces', createServer({ ...shared, ...tls, ...endpoints }), at)
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
    async drain() {
      for (const server of [...listening.values()].reverse()) {
        await server.drain({ graceMs: drainMs * graceShare, deadlineMs: drainMs })
      }
    },
  }
}

// Opens the APIs and their routes: each with its operations, reading its settings at each request.
// Tested by test/start.test.ts
import type { Clock } from '../base/clock.ts'
import type { FairTimeSlices } from '../base/fair-time-slices.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Pipeline } from './create-pipeline.ts'
import type { Inspector } from '../pipeline/inspector/inspector.ts'
import type { KuboCommand } from '../kubo/kubo-command.ts'
import { add } from '../kubo/commands/files/add.ts'
import { pathOperations } from '../ipfs-gateway/operations/index.ts'
import type { DryRunDeps } from '../admin/dry-run.ts'
import { type AdminApi, withMetrics } from '../admin/http/admin-api.ts'
import type { AsKeyParts } from '../admin/http/admin-handler.ts'
import { createIpfsApi } from '../kubo/ipfs-api.ts'
import type { RequestHandler } from '../http/node-exchange.ts'
import { createIpfsGateway } from '../ipfs-gateway/ipfs-gateway.ts'
import { createAdminOnlyRoutes, createRoutes } from './routes.ts'
import type { Routes } from '../http/routes.ts'
import { createRpcApi, defaultRpcSettings } from '../rpc/api/rpc-api.ts'
import type { ServerParts } from '../http/server.ts'
import { createTusHandler } from '../kubo/tus/tus-handler.ts'
import type { ResumableUploads } from '../kubo/tus/resumable-uploads.ts'
import type { UploadSpace } from '../kubo/tus/upload-space.ts'
import { createWebSocketApi, defaultWebSocketLimits } from '../rpc/api/web-socket-api.ts'
import { cairnVersion } from './version.ts'

/** `commandClassOf`: null for an unknown command. */
type AdminEndpoints = Pick<AsKeyParts, 'rpc' | 'files'> & Pick<DryRunDeps, 'commandClassOf'>

export type EndpointsDeps = {
  readonly gateway: Pipeline
  readonly inspector: Inspector
  readonly turns: FairTimeSlices
  /** All IPFS commands by name. */
  readonly commands: ReadonlyMap<string, KuboCommand<unknown>>
  /** Settings at the start. */
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  /** Opens the admin API over the two other APIs; null: turned off. */
  readonly openAdmin: ((endpoints: AdminEndpoints) => AdminApi) | null
  /** `/metrics`; null: turned off. */
  readonly metrics: RequestHandler | null
  /** Resumable uploads. */
  readonly uploads: ResumableUploads
  readonly uploadSpace: UploadSpace
  readonly ready: () => boolean
  /** Names of the networks served now. */
  readonly networks: () => readonly string[]
  readonly clock: Clock
  readonly log: Log
}

/** Send buffer of a WebSocket in addition to one complete response. */
const webSocketSpareBytes = 8 * 1024 * 1024

export type OpenEndpoints = Pick<ServerParts, 'routes' | 'upgrades'> & {
  /** Routes of a separate admin listener; null: none. */
  readonly adminRoutes: Routes | null
}

export function openEndpoints(parts: EndpointsDeps): OpenEndpoints {
  const {
    gateway,
    inspector,
    turns,
    config,
    settings,
    uploads,
    uploadSpace,
    ready,
    networks,
    clock,
    log,
  } = parts
  const rpcParts = {
    gateway,
    inspector,
    turns,
    settings: {
      ...defaultRpcSettings,
      get bodyBytesMax() {
        return settings.now.rpc.bodyBytesMax
      },
      get batchItemsMax() {
        return settings.now.rpc.batchItemsMax
      },
      get replyBytesMax() {
        return settings.now.rpc.responseBytesMax
      },
      get deadlineMs() {
        return settings.now.rpc.requestMs
      },
    },
    clock,
    log,
  }
  const filesParts = {
    gateway,
    inspector,
    commands: parts.commands,
    version: cairnVersion(),
    settings: {
      get uploadBytesMax() {
        return settings.now.files.uploadBytesMax
      },
      idleMs: config.files.idleMs,
    },
    clock,
    log,
  }
  const rpc = createRpcApi(rpcParts)
  const side =
    parts.openAdmin?.({
      rpc,
      files: (entry) => createIpfsApi(filesParts, entry),
      commandClassOf: (command) => parts.commands.get(command)?.class ?? null,
    }) ?? null
  const admin = parts.metrics === null ? side : withMetrics(side, parts.metrics)
  const apart = config.admin.host !== null
  return {
    adminRoutes: admin !== null && apart ? createAdminOnlyRoutes(admin) : null,
    routes: createRoutes({
      rpc,
      ...(admin === null || apart ? {} : { admin }),
      files: createIpfsApi(filesParts),
      tus: createTusHandler({
        ...filesParts,
        add: add as KuboCommand<unknown>,
        records: uploads,
        room: uploadSpace,
      }),
      paths: createIpfsGateway({
        gateway,
        operations: pathOperations,
        version: cairnVersion(),
        settings: {
          get enabled() {
            return settings.now.gateway.enabled
          },
          get deserialized() {
            return settings.now.gateway.deserialized
          },
          get host() {
            return settings.now.gateway.host
          },
          idleMs: config.files.idleMs,
        },
        clock,
        log,
      }),
      ready,
      networks,
    }),
    upgrades: createWebSocketApi({
      ...rpcParts,
      limits: {
        ...defaultWebSocketLimits,
        connectionsPerKeyMax: config.webSocket.connectionsPerKeyMax,
        get bufferBytesMax() {
          return settings.now.rpc.responseBytesMax + webSocketSpareBytes
        },
      },
    }),
  }
}

// The faces as the server listens with them: each with its operations, and settings that are read at each request.
// Tested by test/start.test.ts
import { obtainPublicKey } from './accounts/server-identity.ts'
import type { Clock } from './base/clock.ts'
import type { FairTurns } from './base/fair-turns.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config/settings.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { Inspector } from './gateway/inspect/inspector.ts'
import type { FilesOperation } from './gateway/operation.ts'
import { add } from './gateway/operations/ipfs/files/add.ts'
import { createFilesOperations, pathOperations } from './gateway/operations/files-index.ts'
import type { TrialParts } from './gateway/trial.ts'
import { type AdminSide, withMetrics } from './http/admin/admin-side.ts'
import type { AsKeyParts } from './http/admin/as-key.ts'
import { commands, globalOptions } from './http/commands.ts'
import { createFilesFace } from './http/files.ts'
import type { Face } from './http/node-exchange.ts'
import { createPathFace } from './http/path-face.ts'
import { createAdminOnlyRoutes, createRoutes, type Routes } from './http/routes.ts'
import { createRpcFace, defaultRpcSettings } from './http/rpc.ts'
import type { ServerParts } from './http/server.ts'
import { createTusFace } from './http/tus/tus-face.ts'
import type { UploadRecords } from './http/tus/upload-records.ts'
import type { UploadRoom } from './http/tus/upload-room.ts'
import { createWebSocketFace, defaultWebSocketLimits } from './http/web-socket-face.ts'
import { cairnVersion } from './version.ts'

/** `filesClassOf`: null for a command that is not offered. */
type AdminFaces = Pick<AsKeyParts, 'rpc' | 'files'> & Pick<TrialParts, 'filesClassOf'>

export type FacesParts = {
  readonly gateway: Gateway
  readonly inspector: Inspector
  readonly turns: FairTurns
  /** As of the start. */
  readonly config: Config
  /** As of now. */
  readonly settings: { readonly now: Config }
  /** The admin side over the two faces; null: it is switched off. */
  readonly openAdmin: ((faces: AdminFaces) => AdminSide) | null
  /** `/metrics`; null: it is switched off. */
  readonly metrics: Face | null
  /** Of uploads that may go on. */
  readonly uploads: UploadRecords
  readonly uploadRoom: UploadRoom
  readonly ready: () => boolean
  /** Names of those served now. */
  readonly networks: () => readonly string[]
  readonly clock: Clock
  readonly log: Log
}

/** What may wait to be sent over a WebSocket beside one whole response. */
const webSocketSpareBytes = 8 * 1024 * 1024

export type OpenFaces = Pick<ServerParts, 'routes' | 'upgrades'> & {
  /** Of a listener for the admin side alone; null: there is none. */
  readonly adminRoutes: Routes | null
}

export function openFaces(parts: FacesParts): OpenFaces {
  const {
    gateway,
    inspector,
    turns,
    config,
    settings,
    uploads,
    uploadRoom,
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
    operations: createFilesOperations({
      clock,
      version: cairnVersion(),
      publicKey: obtainPublicKey(config.dataDir),
      declared: { commands, globalOptions },
    }),
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
  const rpc = createRpcFace(rpcParts)
  const side =
    parts.openAdmin?.({
      rpc,
      files: (entry) => createFilesFace(filesParts, entry),
      filesClassOf: (command) => filesParts.operations.get(command)?.class ?? null,
    }) ?? null
  const admin = parts.metrics === null ? side : withMetrics(side, parts.metrics)
  const apart = config.admin.host !== null
  return {
    adminRoutes: admin !== null && apart ? createAdminOnlyRoutes(admin) : null,
    routes: createRoutes({
      rpc,
      ...(admin === null || apart ? {} : { admin }),
      files: createFilesFace(filesParts),
      tus: createTusFace({
        ...filesParts,
        add: add as FilesOperation<unknown>,
        records: uploads,
        room: uploadRoom,
      }),
      paths: createPathFace({
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
    upgrades: createWebSocketFace({
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

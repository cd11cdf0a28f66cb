// The HTTP server with the JSON-RPC API over a fake Gateway, on a free loopback port.
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { createFairTimeSlices } from '../../src/base/fair-time-slices.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInspector, type Inspector } from '../../src/pipeline/inspector/inspector.ts'
import { createRoutes } from '../../src/server/open-endpoints.ts'
import { type RpcSettings, createRpcApi, defaultRpcSettings } from '../../src/rpc/api/rpc-api.ts'
import type { ListenAddress } from '../../src/http/listen.ts'
import {
  createServer,
  defaultServerSettings,
  type Server,
  type ServerParts,
  type ServerSettings,
} from '../../src/http/server.ts'
import {
  createWebSocketApi,
  defaultWebSocketLimits,
  type WebSocketLimits,
} from '../../src/rpc/api/web-socket-api.ts'
import { sendAnswer, textAnswer } from '../../src/http/text-answer.ts'
import { createFakeGateway, type FakeGateway } from './gateway.ts'

export type RpcServer = {
  readonly gateway: FakeGateway
  readonly server: Server
  readonly port: number
  readonly url: string
  stop(): Promise<void>
}

export async function startRpcServer(
  part: {
    readonly gateway?: FakeGateway
    readonly settings?: Partial<RpcSettings>
    readonly webSocket?: Partial<WebSocketLimits>
    readonly server?: Partial<ServerSettings>
    readonly inspector?: Inspector
    readonly clock?: Clock
    readonly where?: Partial<ListenAddress>
  } & Pick<ServerParts, 'share' | 'isKeeper'> = {},
): Promise<RpcServer> {
  const { gateway = createFakeGateway(), clock = systemClock } = part
  const { inspector = createInspector({ settingsOf: () => null, clock }) } = part
  const log = silentLog
  const turns = createFairTimeSlices(clock)
  const settings = { ...defaultRpcSettings, ...part.settings }
  const routes = createRoutes({
    rpc: createRpcApi({ gateway, settings, inspector, timeSlices: turns, clock, log }),
    files: ({ request, response }) => sendAnswer(request, response, textAnswer(501, 'no files')),
    paths: ({ request, response }) => sendAnswer(request, response, textAnswer(501, 'no files')),
    ready: () => true,
    networks: () => ['dev', 'mainnet'],
  })
  const server = createServer({
    ...(part.share === undefined ? {} : { share: part.share }),
    isKeeper: part.isKeeper ?? false,
    settings: { ...defaultServerSettings, ...part.server },
    routes,
    upgrades: createWebSocketApi({
      gateway,
      settings,
      inspector,
      timeSlices: turns,
      limits: { ...defaultWebSocketLimits, ...part.webSocket },
      clock,
      log,
    }),
    clock,
    log,
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0, ...part.where })
  return {
    gateway,
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    stop: () => server.drain({ graceMs: 0, deadlineMs: 0 }),
  }
}

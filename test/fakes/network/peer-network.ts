// The server's side of the IPFS network over a simulated network process, and block reads through it.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLog } from '../../../src/base/log.ts'
import { createMemoryStore } from '../../../src/content/memory-store.ts'
import { createObtain } from '../../../src/content/obtain.ts'
import { verify } from '../../../src/content/verified-finds.ts'
import { startThreadWriter } from '../../../src/db/thread-writer.ts'
import { createPeerNetwork, type PeerNetworkParts } from '../../../src/ipfs/network/peer-network.ts'
import { defaultSupervisorLimits } from '../../../src/ipfs/network/supervisor.ts'
import { temporaryFolder } from '../../started-server.ts'
import { blockOf, type Manner } from './network-process.ts'

const program = fileURLToPath(new URL('./network-process.ts', import.meta.url))

/** Restarts and checks are fast, for tests. */
const fast = { ...defaultSupervisorLimits, firstDelayMs: 50, delayMsMax: 100 }

export async function startPeerNetwork(
  t: TestContext,
  manner: Manner = 'honest',
  change: Partial<PeerNetworkParts> = {},
) {
  const folder = await temporaryFolder()
  const path = join(folder, 'cairn.db')
  const writer = await startThreadWriter({ path })
  const events: string[] = []
  const network = createPeerNetwork({
    options: {
      databasePath: path,
      storePath: join(folder, 'store'),
      program,
      path: process.env['PATH'] ?? '',
      heapMiB: 64,
      needsCard: false,
      hello: {
        v: 1,
        mode: 'provide',
        key: '',
        listen: [],
        announce: [manner],
        bootstrap: [],
        dht: 'off',
        private: true,
        agent: 'test',
        routers: [],
        peers: [],
        limits: { connectionsMax: 8, bytesPerSecondMax: 0 },
      },
    },
    isDenied: () => false,
    clock: systemClock,
    log: (_level, event, facts = {}) => {
      const { reason = '' } = facts
      events.push(`${event} ${String(reason)}`.trim())
    },
    limits: fast,
    ...change,
  })
  t.after(async () => {
    await network.close()
    await writer.close()
    await rm(folder, { recursive: true, force: true })
  })
  const { obtain } = createObtain({
    store: createMemoryStore(),
    sourcesFor: ({ session }) => (session === undefined ? [] : [network.source]),
    verify,
    clock: systemClock,
    log: silentLog,
    count: () => {},
    limits: {
      flightsMax: 20_000,
      writeBehindBytesMax: 0,
      unrequestedMax: 0,
      unrequestedBytesMax: 0,
      memoryBytesMax: 0,
    },
  })
  /** Reads block `number` of the process for `account`. */
  function read(
    number: number,
    options: { readonly account?: string; readonly signal?: AbortSignal } = {},
  ): Promise<Uint8Array> {
    const { account = 'a', signal = AbortSignal.timeout(30_000) } = options
    const { hash } = blockOf(number)
    return obtain({ kind: 'dag-block', hash }, { session: { root: hash, account } }, signal)
  }
  return { network, read, obtain, writer, folder, events }
}

// Starts the benchmark's upstream node, which reports its calls, and Cairn with that upstream and an embedded chain.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCairn } from '../../test/started-server.ts'
import { slotsOf, writeGenesis } from '../data/genesis.ts'
import { createRpcCaller } from '../data/transfers.ts'
import { upstreamChainId } from '../data/upstream-world.ts'
import { profileHook } from '../profile.ts'
import type { Server } from './bare.ts'
import { createKeys } from './cairn.ts'
import { startProgram } from './start-program.ts'

export type Upstream = Server & {
  /** Calls by method since the previous call of `counts`. */
  counts(): Promise<Readonly<Record<string, number>>>
  /** Delays each reply by this time from now on. */
  delay(ms: number): Promise<void>
}

export async function startUpstream(slots: number, missSlots: number): Promise<Upstream> {
  const server = await startProgram('./upstream-server.ts', slots, missSlots)
  const call = createRpcCaller(`http://127.0.0.1:${server.port}`)
  return {
    ...server,
    counts: async () => (await call('bench_counts', [])) as Record<string, number>,
    async delay(ms) {
      await call('bench_delay', [ms])
    },
  }
}

/** A proxy without proofs, authentication and usage. */
export function startHop(upstream: Server): Promise<Server> {
  return startProgram('./hop-server.ts', upstream.port)
}

export type FrontCairn = Server & {
  /** `/v3/<key>` for the network behind the upstream. */
  readonly paths: readonly string[]
  /** The same keys on the embedded chain, whose contract has `slots` slots. */
  readonly embeddedPaths: readonly string[]
  readonly profileFile: string
}

export async function startFrontCairn(
  upstream: Server,
  slots: number,
  options: { readonly profiled: boolean; readonly workers?: number },
): Promise<FrontCairn> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-'))
  const genesisFile = join(folder, 'genesis.json')
  const configFile = join(folder, 'cairn.yaml')
  const profileFile = join(folder, 'server.cpuprofile')
  const dataDir = join(folder, 'data')
  await writeGenesis(genesisFile, slotsOf(slots))
  const networks = [
    {
      name: 'far',
      chainId: upstreamChainId,
      verify: 'require',
      policy: 'full',
      upstreams: [{ url: `http://127.0.0.1:${upstream.port}`, trusted: true }],
    },
    { name: 'near', embedded: true, genesisFile },
  ]
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify({ workers: options.workers ?? 0, networks }))
  const started = await startCairn({
    dataDir,
    args: ['--config', configFile],
    env: {
      CAIRN_BENCH_PROFILE: profileFile,
      CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4096',
    },
    ...(options.profiled ? { nodeArgs: ['--import', profileHook] } : {}),
  })
  const paths = await createKeys(dataDir)
  return {
    pid: started.child.pid ?? 0,
    port: Number(new URL(started.url).port),
    paths,
    embeddedPaths: paths.map((path) => `/near${path}`),
    profileFile,
    async stop() {
      await started.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// A geth that mines a block for each transaction, a proxy in front of it that counts round trips and adds delay, and Cairn, which
// proves calls behind the proxy.
import assert, { equal } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RpcProxy, startRpcProxy } from '../../test/calls/rpc-proxy.ts'
import { startGeth } from '../../test/engines/geth.ts'
import { until } from '../../test/fakes/until.ts'
import { startCairn } from '../../test/started-server.ts'
import { type CallWorld, createCallWorld } from '../data/call-world.ts'
import { chainId } from '../data/genesis.ts'
import { createRpcCaller, signTransfers } from '../data/transfers.ts'
import { profileHook } from '../profile.ts'
import { createKeys } from './cairn.ts'

export type CallRig = {
  readonly world: CallWorld
  readonly gethPort: number
  readonly node: RpcProxy
  readonly cairn: {
    readonly pid: number
    readonly port: number
    /** `/v3/<key>`, keys of one account. */
    readonly paths: readonly string[]
    /** A key of another account. */
    readonly otherPath: string
    readonly profileFile: string
  }
  /** Mines new blocks with transfers to many accounts. Resolves when Cairn knows the last one. */
  mine(): Promise<void>
}

/** Maximum number of calls of `mine`, and transfers per call, so that most nodes near the root of the state are new. */
const minesMax = 60
const transfersEach = 40

/** `stack` stops it. */
export async function startCallRig(
  stack: AsyncDisposableStack,
  size: { readonly holders: number; readonly quoters: number; readonly profiled: boolean },
): Promise<CallRig> {
  const scope = { after: (end: () => unknown) => stack.defer(async () => void (await end())) }
  const world = createCallWorld(size)
  const geth = await startGeth(scope, world.genesis, ['--dev'])
  const node = await startRpcProxy(scope, geth.url)
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-calls-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const configFile = join(folder, 'cairn.yaml')
  const profileFile = join(folder, 'server.cpuprofile')
  const networks = [
    {
      name: 'calls',
      chainId,
      genesisFile: geth.genesisFile,
      verify: 'require',
      heads: { pollMs: 250 },
      upstreams: [{ url: node.url, wsUrl: null, trusted: true }],
    },
  ]
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify({ networks }))
  const started = await startCairn({
    dataDir: join(folder, 'data'),
    args: ['--config', configFile],
    env: { CAIRN_BENCH_PROFILE: profileFile, CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4096' },
    ...(size.profiled ? { nodeArgs: ['--import', profileHook] } : {}),
  })
  stack.defer(async () => void (await started.stop()))
  const paths = await createKeys(started.dataDir)
  await started.cli('accounts', 'create', 'other')
  const other = await started.cli('keys', 'create', '--account', 'other')
  const lanes = signTransfers(minesMax * transfersEach)
  const callGeth = createRpcCaller(geth.url)
  const callCairn = createRpcCaller(`${started.url}/v3/${started.apiKey}`)
  let mined = 0
  return {
    world,
    gethPort: Number(new URL(geth.url).port),
    node,
    cairn: {
      pid: started.child.pid ?? 0,
      port: Number(new URL(started.url).port),
      paths,
      otherPath: `/v3/${String(other['apiKey'])}`,
      profileFile,
    },
    async mine() {
      const each = transfersEach / lanes.length
      const raw = lanes.flatMap((lane) => lane.slice(mined, mined + each)).map((one) => one.raw)
      if (raw.length < transfersEach) throw new Error(`more than ${minesMax} calls of mine`)
      mined += each
      const hashes = await Promise.all(raw.map((one) => callGeth('eth_sendRawTransaction', [one])))
      const isMined = async (hash: unknown) =>
        (await callGeth('eth_getTransactionReceipt', [hash])) !== null
      for (const hash of hashes) await until(async () => assert(await isMined(hash)))
      const newest = await callGeth('eth_blockNumber', [])
      await until(async () => equal(await callCairn('eth_blockNumber', []), newest))
    },
  }
}

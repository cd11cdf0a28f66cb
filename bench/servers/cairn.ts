// Cairn as users run it, on the chain that is read, with 64 limited API keys and one block for each transfer.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../../src/cli/program.ts'
import { startCairn, type Started } from '../../test/started-server.ts'
import { slotsOf, writeGenesis, type Slot } from '../data/genesis.ts'
import { asker, makeBlocks, signTransfers, type Place, type Transfer } from '../data/transfers.ts'
import { profileHook } from '../profile.ts'

export type ReadCairn = {
  readonly started: Started
  readonly pid: number
  readonly port: number
  /** `/v3/<key>` for each of 64 keys with a rate and a daily limit that no run reaches. */
  readonly paths: readonly string[]
  readonly slots: readonly Slot[]
  readonly transfers: readonly (readonly Transfer[])[]
  readonly places: readonly Place[]
  readonly genesisFile: string
  readonly profileFile: string
  stop(): Promise<void>
}

const keyCount = 64

export async function startReadCairn(size: {
  readonly slots: number
  readonly transfers: number
  readonly profiled: boolean
}): Promise<ReadCairn> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-'))
  const genesisFile = join(folder, 'genesis.json')
  const profileFile = join(folder, 'server.cpuprofile')
  const slots = slotsOf(size.slots)
  await writeGenesis(genesisFile, slots)
  const dataDir = join(folder, 'data')
  const started = await startCairn({
    dataDir,
    env: {
      CAIRN_CHAIN_GENESIS_FILE: genesisFile,
      CAIRN_BENCH_PROFILE: profileFile,
      CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4096',
    },
    ...(size.profiled ? { nodeArgs: ['--import', profileHook] } : {}),
  })
  const transfers = signTransfers(size.transfers)
  const places = await makeBlocks(asker(`${started.url}/v3/${started.apiKey}`), transfers, true)
  const paths = await createKeys(dataDir)
  return {
    started,
    pid: started.child.pid ?? 0,
    port: Number(new URL(started.url).port),
    paths,
    slots,
    transfers,
    places,
    genesisFile,
    profileFile,
    async stop() {
      await started.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function createKeys(dataDir: string): Promise<readonly string[]> {
  const paths: string[] = []
  const limits = ['--units-per-second', '1000000000', '--units-per-day', '1000000000000']
  while (paths.length < keyCount) {
    let printed = ''
    const code = await runProgram(['keys', 'create', ...limits, '--data-dir', dataDir, '--json'], {
      out: (text) => (printed += text),
      err: (text) => (printed += text),
      readInput: () => Promise.resolve(''),
      env: {},
    })
    if (code !== 0) throw new Error(printed)
    paths.push(`/v3/${(JSON.parse(printed) as { apiKey: string }).apiKey}`)
  }
  return paths
}

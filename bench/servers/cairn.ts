// Cairn with its default settings on the chain for reads, with 64 limited API keys and a transfer of each account in each block.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../../src/cli/program.ts'
import { startCairn, type Started } from '../../test/started-server.ts'
import { slotsOf, writeGenesis, type Slot } from '../data/genesis.ts'
import {
  createRpcCaller,
  makeBlocks,
  signTransfers,
  type TransactionPosition,
  type Transfer,
} from '../data/transfers.ts'
import { profileHook } from '../profile.ts'

export type ReadCairn = {
  readonly started: Started
  readonly pid: number
  readonly port: number
  /** `/v3/<key>` for each of 64 keys with a rate and a daily limit that no run reaches. */
  readonly paths: readonly string[]
  readonly slots: readonly Slot[]
  readonly transfers: readonly (readonly Transfer[])[]
  readonly places: readonly TransactionPosition[]
  readonly genesisFile: string
  readonly profileFile: string
  stop(): Promise<void>
}

const keyCount = 64

type Size = { readonly slots: number; readonly transfers: number }

type Prepared = Size & {
  readonly paths: readonly string[]
  readonly places: readonly TransactionPosition[]
}

/**
 * `keepIn`: a folder that stores the chain and the keys between runs, so that only the first run creates them; null: a temporary
 * one.
 */
export async function startReadCairn(
  size: Size,
  options: { readonly profiled: boolean; readonly keepIn: string | null },
): Promise<ReadCairn> {
  const folder = options.keepIn ?? (await mkdtemp(join(tmpdir(), 'cairn-bench-')))
  const genesisFile = join(folder, 'genesis.json')
  const profileFile = join(folder, 'server.cpuprofile')
  const preparedFile = join(folder, 'prepared.json')
  const dataDir = join(folder, 'data')
  const stored = await readPrepared(preparedFile, size)
  const slots = slotsOf(size.slots)
  if (stored === null) {
    await rm(dataDir, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeGenesis(genesisFile, slots)
  }
  const started = await startCairn({
    dataDir,
    env: {
      CAIRN_CHAIN_GENESIS_FILE: genesisFile,
      CAIRN_CHAIN_MINING: 'off',
      CAIRN_BENCH_PROFILE: profileFile,
      CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4096',
    },
    ...(options.profiled ? { nodeArgs: ['--import', profileHook] } : {}),
  })
  const transfers = signTransfers(size.transfers)
  const { paths, places } = stored ?? (await prepare(started, transfers))
  const prepared: Prepared = { ...size, paths, places }
  await writeFile(preparedFile, JSON.stringify(prepared))
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
      if (options.keepIn === null) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Null: the folder contains no prepared data of this size. */
async function readPrepared(file: string, size: Size): Promise<Prepared | null> {
  if (!existsSync(file)) return null
  const prepared = JSON.parse(await readFile(file, 'utf8')) as Prepared
  const same = prepared.slots === size.slots && prepared.transfers === size.transfers
  return same ? prepared : null
}

async function prepare(
  started: Started,
  transfers: readonly (readonly Transfer[])[],
): Promise<Pick<Prepared, 'paths' | 'places'>> {
  const call = createRpcCaller(`${started.url}/v3/${started.apiKey}`)
  return {
    places: await makeBlocks(call, transfers),
    paths: await createKeys(started.dataDir),
  }
}

export async function createKeys(dataDir: string): Promise<readonly string[]> {
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

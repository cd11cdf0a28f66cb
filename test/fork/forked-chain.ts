// A real geth with a large state and some blocks, a proxy in front of it that can falsify replies or stop, and servers whose
// embedded chain is forked from it.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'
import { type RpcProxy, startRpcProxy } from '../calls/rpc-proxy.ts'
import { type Geth, startMiningGeth } from '../engines/geth.ts'
import { storageRuntime, word } from '../fakes/storage-contract.ts'
import { startCairn, type Started, temporaryFolder } from '../started-server.ts'

/** Stores and returns slots (fakes/storage-contract.ts). Slot i of the first `slotsCount` has the value i + 1. */
export const store = `0x${'76'.repeat(20)}` as const
/** Returns the hash of the block whose number is the first argument. */
export const hasher = `0x${'72'.repeat(20)}` as const
/** An account with 7 ETH and no code. */
export const rich = richAccount(1)
export const slotsCount = 2_000
const accountsCount = 3_000
/** Blocks after the genesis block. */
export const blocksCount = 6

export const chain = { ...localhost, id: 1337 }
const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople']
  .concat(['petersburg', 'istanbul', 'berlin', 'london'])
  .map((name) => [`${name}Block`, 0] as const)

function richAccount(index: number): `0x${string}` {
  return `0x${(0x1000_0000 + index).toString(16).padStart(40, '0')}`
}

const genesis = {
  config: {
    chainId: 1337,
    ...Object.fromEntries(forks),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    blobSchedule: Object.fromEntries(
      ['cancun', 'prague', 'osaka'].map((name) => [
        name,
        { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      ]),
    ),
  },
  nonce: '0x0',
  timestamp: '0x6553f100',
  extraData: '0x',
  gasLimit: '0x3938700',
  difficulty: '0x0',
  mixHash: `0x${word(0)}`,
  coinbase: `0x${'00'.repeat(20)}`,
  alloc: {
    ...Object.fromEntries(
      Array.from({ length: accountsCount }, (_, index) => [
        richAccount(index),
        { balance: `0x${(7n * 10n ** 18n).toString(16)}` },
      ]),
    ),
    [store]: {
      balance: '0x0',
      nonce: '0x1',
      code: storageRuntime,
      storage: Object.fromEntries(
        Array.from({ length: slotsCount }, (_, index) => [
          `0x${word(index)}`,
          `0x${word(index + 1)}`,
        ]),
      ),
    },
    [hasher]: { balance: '0x0', nonce: '0x1', code: '0x5f35405f5260205ff3' },
    ...Object.fromEntries(
      systemContracts.map(({ address, code }) => [address, { balance: '0x0', nonce: '0x1', code }]),
    ),
    [devAccounts[0]?.address ?? '']: { balance: '0xd3c21bcecceda1000000' },
  },
}

export type ForkedChain = { readonly geth: Geth; readonly node: RpcProxy }

/** The head is block `blocksCount`: each block stores 1000 + its number in slot 10,000 + its number of `store`. */
export async function startForkedGeth(t: { after(end: () => unknown): void }): Promise<Geth> {
  const geth = await startMiningGeth(t, genesis)
  const transport = http(geth.url)
  const account = privateKeyToAccount(devAccounts[0]?.privateKey as `0x${string}`)
  const wallet = createWalletClient({ account, chain, transport })
  const reader = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 })
  for (let number = 1; number <= blocksCount; number += 1) {
    const hash = await wallet.sendTransaction({
      to: store,
      data: `0x${word(10_000 + number)}${word(1_000 + number)}`,
    })
    await reader.waitForTransactionReceipt({ hash })
  }
  return geth
}

/** With a separate proxy for each test. */
export async function proxied(t: Pick<TestContext, 'after'>, geth: Geth): Promise<ForkedChain> {
  return { geth, node: await startRpcProxy(t, geth.url) }
}

export type Fork = Started & ReturnType<typeof clientsOf>

function clientsOf(url: string) {
  const transport = http(url, { retryCount: 0, timeout: 60_000 })
  return {
    reader: createPublicClient({
      chain,
      transport,
      pollingInterval: 20,
      cacheTime: 0,
    }) as PublicClient,
    wallet: createWalletClient({ chain, transport }),
    tools: createTestClient({ mode: 'anvil', chain, transport }),
  }
}

/** `fork`: as in the settings. Stops with the test. */
export async function startFork(
  t: Pick<TestContext, 'after'>,
  { geth, node }: ForkedChain,
  options: { readonly fork?: string; readonly dataDir?: string; readonly key?: string } = {},
): Promise<Fork> {
  const { fork = 'chain@latest', dataDir = await folderFor(t), key } = options
  const file = join(dataDir, 'cairn.yaml')
  const upstream = { url: node.url, name: 'node', wsUrl: null, timeoutMs: 60_000 }
  const settings = {
    networks: [
      { name: 'dev', embedded: true, fork },
      {
        name: 'chain',
        chainId: 1337,
        genesisFile: geth.genesisFile,
        heads: { pollMs: 500 },
        upstreams: [upstream],
      },
    ],
  }
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify(settings))
  const cairn = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => cairn.stop())
  const url = `${cairn.url}/v3/${key ?? cairn.apiKey}`
  return { ...cairn, apiKey: key ?? cairn.apiKey, ...clientsOf(url) }
}

export async function folderFor(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

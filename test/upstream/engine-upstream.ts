// Other chain engines as upstream nodes, each in a separate process: EDR, the chain inside Hardhat, and anvil. They can revert to
// an earlier block, so that tests can create reorgs.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startAnvil } from '../../bench/servers/anvil.ts'
import type { Server } from '../../bench/servers/bare.ts'
import { startEdr } from '../../bench/servers/edr.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { defaultGenesis } from '../../src/devchain/default-genesis.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'
import { temporaryFolder } from '../started-server.ts'

export const engineChainId = 1337

export type EngineUpstream = {
  readonly url: string
  readonly genesisFile: string
  /** Sends directly to the engine. Rejects with the engine's error message. */
  say<Result>(method: string, ...params: readonly unknown[]): Promise<Result>
  /** Mines a block if the engine does not mine automatically. */
  mine(): Promise<void>
}

type Scope = Pick<TestContext, 'after' | 'diagnostic'>

/** With the funded dev accounts. Null if it is not installed. Stopped after the test. */
export async function startEngineUpstream(t: Scope): Promise<EngineUpstream | null> {
  const genesisFile = await writeGenesis(t)
  const engine = await startEdr(genesisFile, (why) => t.diagnostic(why))
  // One block for each transaction.
  return engine === null ? null : upstreamOf(t, engine, genesisFile, async () => {})
}

/** As above, with anvil. */
export async function startAnvilUpstream(t: Scope): Promise<EngineUpstream | null> {
  const genesisFile = await writeGenesis(t)
  const engine = await startAnvil(genesisFile, (why) => t.diagnostic(why))
  if (engine === null) return null
  return upstreamOf(t, engine, genesisFile, async (say) => void (await say('evm_mine')))
}

async function writeGenesis(t: Scope): Promise<string> {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'genesis.json')
  const rich = { balance: `0x${(10n ** 24n).toString(16)}` }
  const zero = `0x${'0'.repeat(64)}`
  const alloc = {
    ...Object.fromEntries(devAccounts.map(({ address }) => [address, rich])),
    ...Object.fromEntries(
      systemContracts.map(({ address, code }) => [address, { nonce: '0x1', balance: '0x0', code }]),
    ),
  }
  const header = {
    nonce: '0x0',
    timestamp: '0x6553f100',
    extraData: '0x',
    gasLimit: '0x3938700',
    difficulty: '0x0',
    mixHash: zero,
    coinbase: zero.slice(0, 42),
  }
  const config = { ...defaultGenesis.config, chainId: engineChainId }
  await writeFile(file, JSON.stringify({ config, ...header, alloc }))
  return file
}

function upstreamOf(
  t: Scope,
  engine: Server,
  genesisFile: string,
  mine: (say: EngineUpstream['say']) => Promise<void>,
): EngineUpstream {
  t.after(() => engine.stop())
  const url = `http://127.0.0.1:${engine.port}`
  async function say<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const reply = (await response.json()) as { result: Result; error?: { message: string } }
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
    return reply.result
  }
  return { url, genesisFile, say, mine: () => mine(say) }
}

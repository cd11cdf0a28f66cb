// Delay between a new block on a node and Cairn's `latest`, pushed over WebSocket and polled, for new blocks and reorgs.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startCairn } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { chainId, slotsOf, writeGenesis } from '../data/genesis.ts'
import { asker } from '../data/transfers.ts'
import { median } from '../measure.ts'
import { startAnvil } from '../servers/anvil.ts'

const blocksPushed = 40
/** Each takes up to two seconds. */
const blocksPolled = 10
const lookMs = 2
const lookMsMax = 10_000
/** Most that a pushed head may be behind, in the middle. */
const pushedMsMax = 100

export async function runHeads(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Heads')
  const folder = await mkdtemp(join(tmpdir(), 'cairn-heads-'))
  const genesisFile = join(folder, 'genesis.json')
  await writeGenesis(genesisFile, slotsOf(1))
  const anvil = await startAnvil(genesisFile, (why) => report.note(why))
  try {
    if (anvil === null) return
    const node = `http://127.0.0.1:${anvil.port}`
    const pushed = await lagsOf(folder, node, { wsUrl: undefined }, bench.calls(blocksPushed))
    report.figure('a new block, pushed', median(pushed.blocks), ' ms', { atMost: pushedMsMax })
    report.figure('a reorg, pushed', median(pushed.reorgs), ' ms', { atMost: pushedMsMax })
    const polled = await lagsOf(folder, node, { wsUrl: null }, bench.calls(blocksPolled))
    report.figure('a new block, polled', median(polled.blocks), ' ms')
    report.figure('a reorg, polled', median(polled.reorgs), ' ms')
  } finally {
    await anvil?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function lagsOf(
  folder: string,
  node: string,
  { wsUrl }: { readonly wsUrl: null | undefined },
  count: number,
): Promise<{ readonly blocks: readonly number[]; readonly reorgs: readonly number[] }> {
  const file = join(folder, 'cairn.yaml')
  const upstreams = [{ url: node, ...(wsUrl === null ? { wsUrl } : {}) }]
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ networks: [{ name: 'anvil', chainId, upstreams }] }))
  const cairn = await startCairn({ args: ['--config', file] })
  const own = `${cairn.url}/v3/${cairn.apiKey}`
  try {
    await follow(own, await latest(node))
    const blocks: number[] = []
    const reorgs: number[] = []
    for (let at = 0; at < count; at += 1) {
      // At any time between two polls.
      await wait(Math.random() * 2_000 * (wsUrl === null ? 1 : 0.1))
      const snapshot = await call(node, 'evm_snapshot')
      await call(node, 'evm_mine')
      blocks.push(await follow(own, await latest(node)))
      await wait(Math.random() * 2_000 * (wsUrl === null ? 1 : 0.1))
      await call(node, 'evm_revert', [snapshot])
      await call(node, 'evm_increaseTime', [3 + at])
      await call(node, 'evm_mine')
      await call(node, 'evm_mine')
      reorgs.push(await follow(own, await latest(node)))
    }
    return { blocks, reorgs }
  } finally {
    await cairn.stop()
  }
}

/** Milliseconds until `url` names `hash` as its head. */
async function follow(url: string, hash: string): Promise<number> {
  const begun = performance.now()
  while ((await latest(url)) !== hash) {
    if (performance.now() - begun > lookMsMax) throw new Error(`${hash} is not the head`)
    await wait(lookMs)
  }
  return performance.now() - begun
}

async function latest(url: string): Promise<string> {
  return ((await call(url, 'eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash
}

async function call(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  return await asker(url)(method, params)
}

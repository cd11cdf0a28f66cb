// Delay between a new block on a node and Cairn's `latest`, with pushed and polled heads, for new blocks and reorgs.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startCairn } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { chainId, slotsOf, writeGenesis } from '../data/genesis.ts'
import { createRpcCaller } from '../data/transfers.ts'
import { median } from '../measure.ts'
import { startAnvil } from '../servers/anvil.ts'

const blocksPushed = 40
/** Each poll takes up to two seconds. */
const blocksPolled = 10
const pollMs = 2
const pollMsMax = 10_000
/** Maximum median delay of a pushed head. */
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
    for (const { name, network } of pushedBy(node)) {
      const pushed = await lagsOf(folder, node, network, bench.calls(blocksPushed))
      const goal = { atMost: pushedMsMax }
      report.figure(`a new block, pushed${name}`, median(pushed.blocks), ' ms', goal)
      report.figure(`a reorg, pushed${name}`, median(pushed.reorgs), ' ms', goal)
    }
    const polled = await lagsOf(folder, node, polling(node), bench.calls(blocksPolled))
    report.figure('a new block, polled', median(polled.blocks), ' ms')
    report.figure('a reorg, polled', median(polled.reorgs), ' ms')
  } finally {
    await anvil?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type HeadNetwork = {
  readonly upstreams: readonly object[]
  readonly heads?: object
  /** False: the head is polled, so delays are longer. */
  readonly pushes: boolean
}

/** One node that pushes heads, as one untrusted upstream, as a trusted one, and as two that must agree. */
function pushedBy(
  url: string,
): readonly { readonly name: string; readonly network: HeadNetwork }[] {
  // Cairn refuses the same URL twice.
  const both = [{ url }, { url: url.replace('127.0.0.1', 'localhost') }]
  return [
    { name: '', network: { upstreams: [{ url }], pushes: true } },
    {
      name: ' by a trusted upstream',
      network: { upstreams: [{ url, trusted: true }], pushes: true },
    },
    {
      name: ' by a quorum of two',
      network: { upstreams: both, heads: { quorum: 2, require: 'quorum' }, pushes: true },
    },
  ]
}

const polling = (url: string): HeadNetwork => ({ upstreams: [{ url, wsUrl: null }], pushes: false })

async function lagsOf(
  folder: string,
  node: string,
  { pushes, ...network }: HeadNetwork,
  count: number,
): Promise<{ readonly blocks: readonly number[]; readonly reorgs: readonly number[] }> {
  const file = join(folder, 'cairn.yaml')
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ networks: [{ name: 'anvil', chainId, ...network }] }))
  const cairn = await startCairn({ args: ['--config', file] })
  const own = `${cairn.url}/v3/${cairn.apiKey}`
  try {
    await follow(own, await latest(node))
    const blocks: number[] = []
    const reorgs: number[] = []
    for (let at = 0; at < count; at += 1) {
      // At a random time between two polls.
      await wait(Math.random() * 2_000 * (pushes ? 0.1 : 1))
      const snapshot = await call(node, 'evm_snapshot')
      await call(node, 'evm_mine')
      blocks.push(await follow(own, await latest(node)))
      await wait(Math.random() * 2_000 * (pushes ? 0.1 : 1))
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

/** Milliseconds until `url` reports `hash` as its head. */
async function follow(url: string, hash: string): Promise<number> {
  const begun = performance.now()
  while ((await latest(url)) !== hash) {
    if (performance.now() - begun > pollMsMax) throw new Error(`${hash} is not the head`)
    await wait(pollMs)
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
  return await createRpcCaller(url)(method, params)
}

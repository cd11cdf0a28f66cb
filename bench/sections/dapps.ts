// A fixed mix of dapp traffic behind a real geth: the verification labels of all answers, comparison with geth's answers, and
// processor time per call compared with the same Cairn as a plain proxy (`verify: off`).
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { findProgram } from '../../test/deploy/programs.ts'
import { startGeth } from '../../test/record/geth.ts'
import type { Bench } from '../bench.ts'
import { type DappChain, dappGenesis, makeDappChain } from '../data/dapps/chain.ts'
import {
  blocksOfVisit,
  indexerPage,
  type Page,
  type PageCall,
  visitedPages,
  visitorsPerBlock,
} from '../data/dapps/pages.ts'
import { cpuUs } from '../processes.ts'
import {
  type Answerer,
  createAnswerer,
  type DappCairn,
  type LabelledReply,
  startDappCairn,
} from '../servers/dapp-cairn.ts'

/** Measurement starts after the first visitors have left: from then on the number of open pages per block is constant. */
const blocksCounted = 30
const blocksUncounted = blocksOfVisit
const headMsMax = 10_000
const provedShareMin = 97

/** Methods whose answers were forwarded before Cairn computed them from proved data. */
const computed = [
  'eth_call',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
]

type Target = {
  readonly name: string
  readonly cairn: DappCairn
  readonly labels: Map<string, Map<string, number>>
  /** By page name. */
  readonly cpuUs: Map<string, number>
}

/** Calls of all visitors of one page at one block. */
type Visit = { readonly page: string; readonly calls: readonly PageCall[] }

export async function runDapps(bench: Bench): Promise<void> {
  const { report } = bench
  const program = process.env['CAIRN_GETH'] ?? findProgram('geth')
  report.section('Dapp traffic')
  if (program === null) return report.note('geth is not installed: the section is skipped')
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'cairn-dapps-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const genesisFile = join(folder, 'genesis.json')
  await writeFile(genesisFile, dappGenesis())
  const geth = await startGeth(program, dappGenesis())
  stack.defer(() => geth.stop())
  const chain = await makeDappChain(geth)
  const node = createAnswerer(geth.url, ['/'])
  stack.defer(() => node.close())

  async function target(name: string, verify: unknown): Promise<Target> {
    const cairn = await startDappCairn({ url: geth.url, genesisFile }, verify)
    stack.defer(() => cairn.stop())
    return { name, cairn, labels: new Map(), cpuUs: new Map() }
  }
  const proving = await target('proved', 'prefer')
  const forwarding = await target('calls and fees forwarded', {
    default: 'prefer',
    ...Object.fromEntries(computed.map((method) => [method, 'off'])),
  })
  const proxy = await target('plain proxy', 'off')
  const targets = [proving, forwarding, proxy]

  const pages = new Map<string, number>()
  const blocks = blocksUncounted + bench.calls(blocksCounted)
  for (let block = 0; block < blocks; block += 1) {
    const { number } = await chain.nextBlock()
    const visits = visitsAt(chain, block)
    await Promise.all(targets.map(({ cairn }) => follow(cairn, numberToHex(number))))
    for (const { page, calls } of visits) {
      const wanted = await node.answer(calls)
      const isCounted = block >= blocksUncounted
      if (isCounted) pages.set(page, (pages.get(page) ?? 0) + calls.length)
      // Each target goes first equally often.
      for (let offset = 0; offset < targets.length; offset += 1) {
        const one = targets[(offset + block) % targets.length]
        if (one === undefined) continue
        const before = cpuUs(one.cairn.pid)
        const replies = await one.cairn.answer(calls)
        if (!isCounted) continue
        one.cpuUs.set(page, (one.cpuUs.get(page) ?? 0) + cpuUs(one.cairn.pid) - before)
        for (const [at, reply] of replies.entries()) {
          checkReply(one.name, calls[at], reply, wanted[at])
          count(one.labels, calls[at]?.method ?? '', reply.label)
        }
      }
    }
  }
  describe(bench, { proving, forwarding, proxy }, pages)
}

function visitsAt(chain: DappChain, block: number): readonly Visit[] {
  const visits = visitedPages.map((page) => ({
    page: page.name,
    calls: callsOf(page, chain, block),
  }))
  const indexed = [
    ...(block === 0 ? indexerPage.open(chain, 0) : []),
    ...indexerPage.poll(chain, 0),
  ]
  return [...visits, { page: indexerPage.name, calls: indexed }]
}

/** Calls of the visitors that arrive at this block, and of those that stay. */
function callsOf(page: Page, chain: DappChain, block: number): readonly PageCall[] {
  const first = Math.max(0, block - blocksOfVisit + 1)
  return Array.from({ length: block - first + 1 }, (_, at) => first + at).flatMap((came) =>
    Array.from({ length: visitorsPerBlock }, (_, at) => userOf(chain, came, at)).flatMap((user) =>
      came === block ? page.open(chain, user) : page.poll(chain, user),
    ),
  )
}

/** The user of a visitor; users return after a while. */
function userOf({ users }: DappChain, block: number, visitor: number): number {
  return (block * visitorsPerBlock + visitor) % users.length
}

/** Waits until the server reports the block as its head. */
async function follow(server: Answerer, number: string): Promise<void> {
  const end = performance.now() + headMsMax
  for (;;) {
    const [reply] = await server.answer([{ method: 'eth_blockNumber', params: [] }])
    if (reply?.result === number) return
    if (performance.now() > end)
      throw new Error(`the head is ${JSON.stringify(reply)}: expected ${number}`)
    await wait(10)
  }
}

function checkReply(
  target: string,
  call: PageCall | undefined,
  { result, error }: LabelledReply,
  wanted: LabelledReply | undefined,
): void {
  const isSame =
    isDeepStrictEqual(result, wanted?.result) || isExactGas(call, result, wanted?.result)
  if (wanted?.error === undefined && error === undefined && isSame) return
  const callText = JSON.stringify(call).slice(0, 500)
  const both = [{ result, error }, wanted].map((one) => JSON.stringify(one).slice(0, 1000))
  throw new Error(`${target}: ${callText} gives\n${both.join('\nand geth gives\n')}`)
}

/** geth's binary search for the gas stops within 1.5 %; Cairn's is exact. */
function isExactGas(call: PageCall | undefined, result: unknown, wanted: unknown): boolean {
  if (call?.method !== 'eth_estimateGas') return false
  const [own, other] = [Number(result), Number(wanted)]
  return own <= other && other <= own * 1.015
}

function count(labels: Target['labels'], method: string, label: string): void {
  const counts = labels.get(method) ?? new Map<string, number>()
  labels.set(method, counts)
  counts.set(label, (counts.get(label) ?? 0) + 1)
}

type Targets = { readonly proving: Target; readonly forwarding: Target; readonly proxy: Target }

function describe(
  { report }: Bench,
  { proving, forwarding, proxy }: Targets,
  pages: ReadonlyMap<string, number>,
): void {
  const calls = sum(pages.values())
  report.figure('calls, each compared with the reply of geth', calls, '')
  report.figure('answers with `proof`, calls and fees forwarded', shareOf(forwarding.labels), ' %')
  report.figure('answers with `proof`', shareOf(proving.labels), ' %', { atLeast: provedShareMin })
  for (const [page, asked] of pages) {
    const each = (one: Target) => (one.cpuUs.get(page) ?? 0) / asked
    report.text(
      `${page}: CPU per call`,
      `${asked} calls: ${Math.round(each(proving))} us proved, ${Math.round(each(forwarding))} us with calls and fees forwarded, ` +
        `${Math.round(each(proxy))} us as a plain proxy`,
    )
  }
  const all = (one: Target) => sum(one.cpuUs.values()) / calls
  report.figure('CPU per call, proved', all(proving), ' us')
  report.figure('CPU per call, calls and fees forwarded', all(forwarding), ' us')
  report.figure('CPU per call, plain proxy', all(proxy), ' us')
  report.figure('CPU per call, proved / plain proxy', all(proving) / all(proxy), '')
  for (const [method, counts] of [...proving.labels].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    report.text(
      `labels of ${method}`,
      `${formatCounts(counts)}; before: ${formatCounts(forwarding.labels.get(method) ?? new Map())}`,
    )
  }
}

function formatCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([label, number]) => `${number} \`${label}\``).join(', ')
}

function shareOf(labels: Target['labels']): number {
  const counts = [...labels.values()]
  const all = sum(counts.flatMap((each) => [...each.values()]))
  return (100 * sum(counts.map((each) => each.get('proof') ?? 0))) / all
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0)
}

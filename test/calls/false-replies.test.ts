// One field of one reply of the upstream is falsified at a time, in all replies that a proved call uses: the answer remains the same, or
// there is none. Each change has a network and contracts of its own, so that no value in memory takes its place. CAIRN_LIES=all
// falsifies each field in every way of mutated.ts, instead of one.
import { deepEqual, ok } from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { ScheduledRules } from '../../src/chain/network.ts'
import type { Relay } from '../../src/chain/relay.ts'
import type { UpstreamNetworkConfig } from '../../src/config/network-config.ts'
import { createForkSchedule } from '../../src/proved-calls/fork-schedule.ts'
import { createProofRate } from '../../src/proved-calls/proof-rate.ts'
import { createProvedCallThread } from '../../src/proved-calls/proved-call-thread.ts'
import { createProvedCalls } from '../../src/proved-calls/proved-calls.ts'
import { scheduleOf } from '../../src/server/open-proved-calls.ts'
import { openUpstreamCase, type ReadAnswer } from '../fakes/upstream/upstream-network.ts'
import {
  type Answer,
  type CalledChain,
  copiesOfProxy,
  copyMark,
  holder,
  startCalledChain,
  word,
} from './called-chain.ts'
import { cleanUpAfter } from './clean-up.ts'
import { mutated, type Mutation } from './mutated.ts'

const isComplete = process.env['CAIRN_LIES'] === 'all'
const copiesMax = isComplete ? 3_000 : 800
/** Concurrent changes; further calls of one account wait. */
const parallel = 8

type Request = { readonly method: string; readonly params: readonly unknown[] }

/** What a proved call asks for, without the probes of an upstream, which name block 0 by its number. */
function isUsed({ method, params }: Request): boolean {
  const methods =
    /^(eth_(chainId|getBlockByNumber|config|getProof|getCode|createAccessList)|debug_(getRawHeader|traceCall))$/
  return methods.test(method) && !params.includes('0x0')
}

/**
 * The same for each copy, and for proofs of an account whatever their slots: those of a hint are asked for with the account or after
 * it.
 */
function nameOf({ method, params }: Request): string {
  const named = method === 'eth_getProof' ? params.slice(0, 1) : params
  return JSON.stringify([method, ...named]).replaceAll(copyMark, '#')
}

/** One field of the reply to one request. `of`: `nameOf` the request. */
type FieldChange = { readonly of: string; readonly at: string; readonly kind: number }

const scope = cleanUpAfter()
const { alloc, proxies } = copiesOfProxy(copiesMax)
const thread = createProvedCallThread({ clock: systemClock, log: silentLog })
const proofRate = createProofRate(systemClock, { perSecond: 1e6, burst: 1e6 })
let chain: CalledChain
let url: string
let calls: (relay: Relay) => ScheduledRules
/** The change in the replies under a path of the URL, and whether a reply had it. */
const changesByPath = new Map<string, { readonly change: FieldChange; wasSent: boolean }>()
/** What could be falsified in the replies under the path `/honest`, by `nameOf` the request. */
const recorded = new Map<string, readonly Mutation[]>()
let copiesUsed = 0
/** Of the chain, whose head does not move. */
const replies = new Map<string, Promise<Answer>>()

before(async () => {
  chain = await startCalledChain(scope, alloc)
  calls = callsBy(chain.genesisFile)
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    answer(request).then(
      (text) => response.end(text),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
scope.after(() => thread.close())

/** Reads the genesis file once. */
function callsBy(genesisFile: string): (relay: Relay) => ScheduledRules {
  const listed: Pick<UpstreamNetworkConfig, 'name' | 'chainId' | 'genesisHash' | 'genesisFile'> = {
    name: 'called',
    chainId: 1337n,
    genesisHash: null,
    genesisFile,
  }
  // A fork schedule needs these members only.
  const schedule = scheduleOf(listed as UpstreamNetworkConfig)
  ok(schedule !== null)
  const parts = { network: listed.name, clock: systemClock, log: silentLog }
  return (relay) => {
    const forks = createForkSchedule({ ...parts, ...schedule, relay })
    const configAt = (timestamp: bigint) => forks.configAt(timestamp)
    return createProvedCalls({
      ...parts,
      thread,
      proofRate,
      relay,
      configAt,
      isEthereum: true,
      callGasMax: 50_000_000n,
    })
  }
}

async function answer(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Request & {
    readonly id: unknown
  }
  const text = JSON.stringify({ method, params })
  const honest = replies.get(text) ?? chain.rpc(method, params)
  replies.set(text, honest)
  const { result, error } = await honest
  const reply =
    error === undefined
      ? { result: falsified(request.url ?? '', { method, params }, result) }
      : { error }
  return JSON.stringify({ jsonrpc: '2.0', id, ...reply })
}

function falsified(path: string, request: Request, result: unknown): unknown {
  const of = nameOf(request)
  if (path === '/honest' && isUsed(request)) {
    const all = [...mutated(result)]
    if (all.length > (recorded.get(of)?.length ?? 0)) recorded.set(of, all)
  }
  const planned = changesByPath.get(path)
  if (planned?.change.of !== of) return result
  planned.wasSent = true
  const { at, kind } = planned.change
  const kinds = [...mutated(result)].filter((one) => one.at === at)
  // The paths in the trie of another copy may be shorter.
  return (kinds[kind] ?? kinds.at(-1) ?? [...mutated(result)].at(-1))?.changed
}

async function ask(path: string, method: string, params: readonly unknown[]): Promise<ReadAnswer> {
  const network = await openUpstreamCase({
    name: path,
    stubs: [{ url: `${url}/${path}`, chain: { chainId: 1337n } }],
    blobFractions: null,
    ledger: { add() {}, idle: () => Promise.resolve() },
    calls,
  })
  try {
    return await network.read(method, params)
  } finally {
    await network.close()
  }
}

/** Each field once, in one of the ways; or in all ways. */
function changesOf(replies: ReadonlyMap<string, readonly Mutation[]>): readonly FieldChange[] {
  return [...replies].flatMap(([of, mutations]) => {
    const byField = Map.groupBy(mutations, ({ at }) => at)
    return [...byField].flatMap(([at, ways], index) =>
      isComplete
        ? ways.map((_, kind) => ({ of, at, kind }))
        : [{ of, at, kind: index % ways.length }],
    )
  })
}

const zeros = Object.fromEntries(Array.from({ length: 3 }, (_, slot) => [word(slot), word(0)]))
const callOf = (to: string) => ({ to, data: word(BigInt(holder)) })

type Case = {
  readonly method: string
  /** Runs every n-th change; more than 1 only where the values are read as for `eth_call`. */
  readonly every: number
  readonly paramsOf: (proxy: string) => readonly unknown[]
}

const cases: readonly Case[] = [
  { method: 'eth_call', every: 1, paramsOf: (proxy) => [callOf(proxy), 'latest'] },
  {
    method: 'debug_traceCall',
    every: 8,
    paramsOf: (proxy) => [callOf(proxy), 'latest', { tracer: 'prestateTracer' }],
  },
  {
    method: 'eth_simulateV1',
    every: 6,
    paramsOf: (proxy) => [
      {
        blockStateCalls: [
          { stateOverrides: { [proxy]: { stateDiff: zeros } }, calls: [callOf(proxy)] },
        ],
      },
      'latest',
    ],
  },
]

for (const { method, every, paramsOf } of cases) {
  test(`no falsified field of a reply changes the answer of ${method}`, async (t) => {
    const nextParams = () => {
      const proxy = proxies[copiesUsed++]
      ok(proxy !== undefined, 'there are more changes than contracts')
      return paramsOf(proxy)
    }
    const expected = async (params: readonly unknown[]) => {
      const { result } = await chain.rpc(method, params)
      return { result, level: 'proof' }
    }
    recorded.clear()
    const params = nextParams()
    const honest = await ask('honest', method, params)
    deepEqual(honest, { ...honest, ...(await expected(params)) })
    const all = changesOf(recorded)
    ok(all.length > 100)
    const changes = all.filter((_, index) => isComplete || index % every === 0)
    let refused = 0
    const left = changes.entries()
    async function work(): Promise<void> {
      for (const [index, change] of left) {
        const path = `${method}/${index}`
        const planned = { change, wasSent: false }
        changesByPath.set(`/${path}`, planned)
        const own = nextParams()
        const answered = await ask(path, method, own)
        const message = JSON.stringify(change)
        ok(planned.wasSent, message)
        if ('fault' in answered) refused += 1
        else deepEqual(answered, { ...answered, ...(await expected(own)) }, message)
      }
    }
    await Promise.all(Array.from({ length: parallel }, work))
    t.diagnostic(`${changes.length} of ${all.length} changes, ${refused} answers refused`)
  })
}

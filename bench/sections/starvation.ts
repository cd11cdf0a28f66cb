// Latency of an honest tenant during attacks of hostile tenants: calls while they keep the EVM busy, adds while they upload the
// content that costs most per byte.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { endlessJumps, type GreedyCall, greedyCalls } from '../../test/hostile/greedy-calls.ts'
import {
  bodyOf,
  greedyBoundary,
  type GreedyUpload,
  greedyUploads,
  partOf,
} from '../../test/hostile/greedy-uploads.ts'
import { type Started, startCairn } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import type { AttackAnswer, AttackOrder, AttackRequest } from '../load/attack-thread.ts'

type Tenant = { readonly apiKey: string; readonly apiKeySecret: string }

/** Time until an attack is at full strength. */
const warmUpMs = 3000
const warmUpCalls = 50
/** Interval between two calls of the honest tenant. */
const paceMs = 50
/** Timeout of an honest call. */
const patienceMs = 60_000

export async function runStarvation(bench: Bench): Promise<void> {
  await runGreedyCalls(bench)
  await runGreedyUploads(bench)
}

/** Connections per kind of attack on the request thread, from four accounts. */
const lanesOfEach = 16
const hostileAccounts = 4

async function runGreedyUploads({ report, calls }: Bench): Promise<void> {
  report.section('Adds and reads of one account while four others load the request thread')
  const cairn = await startCairn()
  try {
    const honest = await newTenant(cairn, 'honest')
    const hostile: Tenant[] = []
    while (hostile.length < hostileAccounts) {
      hostile.push(await newTenant(cairn, `hostile-${hostile.length}`))
    }
    const add = fileAdder(cairn, honest)
    const read = balanceAsker(cairn, honest)
    await callAtPace(add, warmUpCalls)
    await callAtPace(read, warmUpCalls)
    const requests = (key: Tenant) => [
      ...greedyUploads.map((greedy) => upload(cairn, key, greedy)),
      longBatch(cairn, key),
    ]
    const lanes = hostile
      .flatMap((key) => Array.from({ length: lanesOfEach / hostileAccounts }, () => requests(key)))
      .flat()
      .map((it) => [it])
    for (const [name, attack] of [
      ['nothing else', []],
      [`${lanes.length} connections of attackers`, lanes],
    ] as const) {
      const [added, called] = await underAttack(attack, async () => [
        await callAtPace(add, calls(200)),
        await callAtPace(read, calls(200)),
      ])
      report.figure(`p50 of an add of 4 KiB, ${name}`, percentile(added, 0.5), ' ms', {
        atMost: 100,
      })
      report.figure(`p99 of an add of 4 KiB, ${name}`, percentile(added, 0.99), ' ms')
      report.figure(`p50 of eth_getBalance, ${name}`, percentile(called, 0.5), ' ms', {
        atMost: 100,
      })
      report.figure(`p99 of eth_getBalance, ${name}`, percentile(called, 0.99), ' ms')
    }
  } finally {
    await cairn.stop()
  }
}

async function runGreedyCalls({ report, calls }: Bench): Promise<void> {
  report.section('Calls of one account while another loads the EVM')
  const cairn = await startCairn()
  try {
    const honest = await newTenant(cairn, 'honest')
    const hostile = await newTenant(cairn, 'hostile')
    const keys = [hostile, ...(await moreKeys(cairn, 'hostile', 8))]
    const ask = createCaller(cairn, honest)
    // Warm-up: threads start and compile their code.
    await callAtPace(ask, warmUpCalls)
    const attacks: readonly (readonly [string, readonly (readonly AttackRequest[])[]])[] = [
      ['nothing else', []],
      ...lanesOfGreed(cairn, hostile),
      ['infinite loops from nine keys', keys.map((key) => [call(cairn, key, endlessJumps)])],
      [
        'all attacks together',
        keys.flatMap((key) => greedyCalls.map((greedy) => [call(cairn, key, greedy)])),
      ],
    ]
    for (const [name, lanes] of attacks) {
      const durations = await underAttack(lanes, () => callAtPace(ask, calls(200)))
      report.figure(`p50, ${name}`, percentile(durations, 0.5), ' ms')
      report.figure(`p99, ${name}`, percentile(durations, 0.99), ' ms', { atMost: 250 })
    }
  } finally {
    await cairn.stop()
  }
}

/** Two connections with BLAKE2f, one with pairings, and one with each other kind. */
function lanesOfGreed(
  cairn: Started,
  key: Tenant,
): readonly (readonly [string, readonly (readonly AttackRequest[])[]])[] {
  const [blake, pairs, ...others] = greedyCalls.map((greedy) => call(cairn, key, greedy))
  if (blake === undefined || pairs === undefined) throw new Error('no attacks')
  return [
    ['2 x 40M rounds of BLAKE2f and 1,200 pairs of bn254', [[blake], [blake], [pairs]]],
    ['all other expensive calls', others.map((it) => [it])],
  ]
}

/** Runs `work` during the attack of the lanes. */
async function underAttack<T>(
  lanes: readonly (readonly AttackRequest[])[],
  work: () => Promise<T>,
): Promise<T> {
  if (lanes.length === 0) return await work()
  const thread = new Worker(new URL('../load/attack-thread.ts', import.meta.url), {
    workerData: { lanes } satisfies AttackOrder,
  })
  try {
    await wait(warmUpMs)
    const result = await work()
    const answered = once(thread, 'message') as Promise<[AttackAnswer]>
    thread.postMessage('stop')
    const [{ replies }] = await answered
    if (replies[0] !== undefined) throw new Error(`${replies[0]} connections of attackers broke`)
    return result
  } finally {
    await thread.terminate()
  }
}

/** Returns the duration of each call in milliseconds. */
async function callAtPace(
  ask: (number: number) => Promise<void>,
  count: number,
): Promise<readonly number[]> {
  const durations: number[] = []
  for (let number = 0; number < count; number++) {
    const begun = performance.now()
    await ask(number)
    durations.push(performance.now() - begun)
    await wait(paceMs)
  }
  return durations
}

/** Trivial calls, each different, so that none is answered from a cache. */
function createCaller(cairn: Started, tenant: Tenant): (number: number) => Promise<void> {
  return async (number) => {
    const word = number.toString(16).padStart(8, '0')
    // The code returns its own number.
    const data = `0x63${word}5f5260205ff3`
    const body = rpcBody('eth_call', [{ data }, 'latest'])
    const response = await fetch(`${cairn.url}/v3/${tenant.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(patienceMs),
    })
    const { result } = (await response.json()) as { result?: string }
    if (result !== `0x${word.padStart(64, '0')}`) throw new Error(`eth_call gave ${result}`)
  }
}

function fileAdder(cairn: Started, tenant: Tenant): (number: number) => Promise<void> {
  return async (number) => {
    const body = bodyOf([partOf('f', Buffer.alloc(4096, `${performance.now()} ${number} `))])
    const { status } = await fetch(`${cairn.url}/api/v0/add`, {
      method: 'POST',
      headers: uploadHeaders(tenant),
      body,
      signal: AbortSignal.timeout(patienceMs),
    })
    if (status !== 200) throw new Error(`add gave ${status}`)
  }
}

function balanceAsker(cairn: Started, { apiKey }: Tenant): (number: number) => Promise<void> {
  return async (number) => {
    const address = `0x${number.toString(16).padStart(40, '0')}`
    const response = await fetch(`${cairn.url}/v3/${apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: rpcBody('eth_getBalance', [address, 'latest']),
      signal: AbortSignal.timeout(patienceMs),
    })
    const { result } = (await response.json()) as { result?: string }
    if (result !== '0x0') throw new Error(`eth_getBalance gave ${result}`)
  }
}

function upload(cairn: Started, key: Tenant, { query, body }: GreedyUpload): AttackRequest {
  return { url: `${cairn.url}/api/v0/add?${query}`, headers: uploadHeaders(key), body }
}

function uploadHeaders({ apiKey, apiKeySecret }: Tenant): Readonly<Record<string, string>> {
  return {
    authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}`,
    'content-type': `multipart/form-data; boundary=${greedyBoundary}`,
  }
}

/** A batch with the maximum number of calls, each with a parameter of 40 KB. */
function longBatch(cairn: Started, { apiKey }: Tenant): AttackRequest {
  const call = { jsonrpc: '2.0', id: 1, method: 'web3_sha3', params: [`0x${'ab'.repeat(20_000)}`] }
  return {
    url: `${cairn.url}/v3/${apiKey}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(Array.from({ length: 100 }, () => call))),
  }
}

function call(cairn: Started, { apiKey }: Tenant, { params }: GreedyCall): AttackRequest {
  return {
    url: `${cairn.url}/v3/${apiKey}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(rpcBody('eth_call', params)),
  }
}

function rpcBody(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

async function newTenant(cairn: Started, account: string): Promise<Tenant> {
  await cairn.cli('accounts', 'create', account)
  await cairn.cli('card', 'set', account)
  return newKey(cairn, account)
}

async function newKey(cairn: Started, account: string): Promise<Tenant> {
  return (await cairn.cli('keys', 'create', '--account', account)) as Tenant
}

async function moreKeys(cairn: Started, account: string, count: number): Promise<Tenant[]> {
  const keys: Tenant[] = []
  while (keys.length < count) keys.push(await newKey(cairn, account))
  return keys
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

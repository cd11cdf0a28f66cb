import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import { Worker } from 'node:worker_threads'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { fromHex } from '../base/hex.ts'
import { silentLog } from '../base/log.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { openDatabase } from '../db/sqlite.ts'
import { startThreadWriter } from '../db/thread-writer.ts'
import { type CallRequest, noOverrides } from '../chain/computation.ts'
import { sampleContractAddress } from './default-genesis.ts'
import { devAccounts } from './dev-accounts.ts'
import { openEmbeddedNetwork } from './embedded-network.ts'
import type { EmbeddedOptions } from './embedded-network.ts'
import { defaultTimeSliceLimits } from '../evm/time-slice.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const signal = new AbortController().signal
const sample = { to: fromHex(sampleContractAddress) }
/** JUMPDEST PUSH0 JUMP: runs until its gas or time limit. */
const endless = { data: fromHex('0x5b5f56') }

async function open(t: TestContext, options: Partial<EmbeddedOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-calls-'))
  const path = join(folder, 'cairn.db')
  const writer = await startThreadWriter({ path })
  const database = openDatabase(path, { readOnly: true })
  const { executor, pool, head, close } = await openEmbeddedNetwork({
    name: 'embedded',
    database,
    store: createSqliteStore({ db: database, writer }),
    databasePath: path,
    connectWriter: () => writer.connect(),
    clock: systemClock,
    log: silentLog,
    ...options,
  })
  t.after(async () => {
    await close()
    database.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  const call = (accountId: string, request: CallRequest, stop = signal, keyId = accountId) =>
    executor.call(
      { request, block: head.latest(), overrides: noOverrides },
      { accountId, keyId },
      stop,
    )
  return { executor, pool, head, call }
}

const transfer = async () =>
  fromHex(
    await alice.signTransaction({
      type: 2,
      chainId: 1337,
      nonce: 0,
      to: devAccounts[1]?.address ?? null,
      value: 1,
      gasLimit: 21_000,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 0,
    }),
  )

test('while one key runs endless calls, another is answered and a send is mined', async (t) => {
  const { pool, call, head } = await open(t)
  await Promise.all([call('b', sample), pool.send(await transfer(), signal)])
  const stop = new AbortController()
  let ended = 0
  const greedy = Array.from({ length: 100 }, () =>
    call('a', { ...endless, gas: 50_000_000n }, stop.signal).catch(() => (ended += 1)),
  )
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await call('b', sample)).length, 32)
    assert.equal(await pool.pendingNonce(fromHex(alice.address), signal), 1n)
  }
  // The first two of the hundred calls are still far from their end.
  assert.ok(ended <= 2, `${ended} endless calls ended first`)
  assert.equal(head.latest().number, 1n)
  stop.abort()
  await Promise.all(greedy)
})

test('a call that ran out of its time fails with a text, is no free timeout, and the next one runs', async (t) => {
  const { call } = await open(t, {
    turnLimits: { ...defaultTimeSliceLimits, sliceMs: 5, runMs: 1_000 },
  })
  await assert.rejects(call('a', { ...endless, gas: 50_000_000n }), {
    code: 'execution_failed',
    message: 'execution aborted (timeout = 1s)',
  })
  assert.equal((await call('a', sample)).length, 32)
})

test('a call that is given up while it runs ends, and what waited behind it goes on', async (t) => {
  const { call } = await open(t)
  const leaver = new AbortController()
  const left = call('a', { ...endless, gas: 50_000_000n }, leaver.signal)
  const behind = call('a', sample)
  leaver.abort()
  await assert.rejects(left, { code: 'deadline' })
  assert.equal((await behind).length, 32)
})

test('a queue that is full for one account is open to others', async (t) => {
  const { call } = await open(t)
  const stop = new AbortController()
  const greedy = Array.from({ length: 700 }, () =>
    call('a', { ...endless, gas: 50_000_000n }, stop.signal).then(
      () => 'ok',
      (error: { code: string }) => error.code,
    ),
  )
  assert.equal((await call('b', sample)).length, 32)
  stop.abort()
  const codes = await Promise.all(greedy)
  assert.ok(codes.includes('overloaded'))
})

/** The next worker thread that the process starts. */
const nextWorker = () =>
  new Promise<Worker>((resolve) => process.once('worker', (worker) => resolve(worker)))

test('a thread that dies in the middle of a call is answered as a bug, and the next call runs', async (t) => {
  const { call } = await open(t)
  const started = nextWorker()
  const lost = assert.rejects(call('a', { ...endless, gas: 50_000_000n }), { code: 'internal' })
  await (await started).terminate()
  await lost
  assert.equal((await call('a', sample)).length, 32)
})

test('a send whose thread dies is answered as a bug, and the chain goes on', async (t) => {
  const { pool, head } = await open(t)
  const started = nextWorker()
  const raw = await transfer()
  const lost = assert.rejects(pool.send(raw, signal), { code: 'internal' })
  await (await started).terminate()
  await lost
  await pool.send(raw, signal)
  assert.equal(head.latest().number, 1n)
})

/** BLAKE2f: cannot be interrupted. */
const rounds = (count: number) => ({
  to: fromHex(`0x${'00'.repeat(19)}09`),
  data: fromHex(`0x${count.toString(16).padStart(8, '0')}${'00'.repeat(209)}`),
  gas: 50_000_000n,
})
/** Runs several times longer than any time limit. */
const hanging = rounds(40_000_000)
/** Too long for the quick thread. */
const long = rounds(250_000)
/** Lets every step begin, like a server that underestimates the cost of steps. */
const unpriced = { ...defaultTimeSliceLimits, sliceMs: 5, runMs: 2_000, stepMs: 60_000 }

test('a precompiled contract that would take too long is refused before it runs', async (t) => {
  const { call, executor, head } = await open(t)
  const refused = {
    code: 'execution_failed',
    message: 'execution aborted (precompiled contract 0x09 would take 5000 ms, at most 250 ms)',
  }
  const request = rounds(10_000_000)
  await assert.rejects(call('a', request), refused)
  const callRequest = { request, block: head.latest(), overrides: noOverrides }
  const caller = { accountId: 'a', keyId: 'k' }
  await assert.rejects(executor.estimateGas(callRequest, caller, signal), refused)
  await assert.rejects(executor.createAccessList(callRequest, caller, signal), refused)
})

test('a thread that hangs in one step is replaced, and only the call that hung fails', async (t) => {
  const { call } = await open(t, { turnLimits: unpriced })
  const failed = assert.rejects(call('a', hanging), /^Fault: execution aborted \(timeout = /)
  const others = ['b', 'c'].map(async (accountId) => call(accountId, long))
  await failed
  for (const answer of await Promise.all(others)) assert.equal(answer.length, 64)
})

test('a call that waits while a thread is replaced is sent to the new thread once', async (t) => {
  const sent = t.mock.method(Worker.prototype, 'postMessage')
  const { call } = await open(t, { turnLimits: unpriced })
  const failed = assert.rejects(call('a', hanging), { code: 'execution_failed' })
  const others = Array.from({ length: 3 }, () => call('a', long))
  await Promise.all([failed, ...others])
  const numbers = new Map<unknown, number>()
  const orders = sent.mock.calls.flatMap(({ this: worker, arguments: [order] }) => {
    if (!numbers.has(worker)) numbers.set(worker, numbers.size)
    const { kind, id } = order as { readonly kind: string; readonly id?: number }
    return kind === 'run' ? [`thread ${numbers.get(worker)} call ${id}`] : []
  })
  assert.ok(new Set(orders.map((order) => order.split(' ')[1])).size > 1)
  assert.deepEqual(orders, [...new Set(orders)])
})

test('long calls have a thread of their own, where an account whose call hung begins from then on', async (t) => {
  const { call } = await open(t, { turnLimits: unpriced })
  let started = 0
  const count = () => (started += 1)
  process.on('worker', count)
  t.after(() => process.off('worker', count))
  await call('a', sample)
  assert.equal(started, 1)
  await call('a', long)
  assert.equal(started, 2)
  await assert.rejects(call('a', hanging), { code: 'execution_failed' })
  // The quick thread still runs; the other one has ended.
  await call('b', sample)
  assert.equal(started, 2)
  await call('a', sample)
  assert.equal(started, 3)
})

test('endless calls from nine keys of one account leave another its turn', async (t) => {
  const { call } = await open(t)
  const stop = new AbortController()
  let ended = 0
  const greedy = Array.from({ length: 90 }, (_, at) =>
    call('a', { ...endless, gas: 50_000_000n }, stop.signal, `key ${at % 9}`).catch(
      () => (ended += 1),
    ),
  )
  for (let round = 0; round < 5; round += 1) assert.equal((await call('b', sample)).length, 32)
  assert.ok(ended <= 2, `${ended} endless calls ended first`)
  stop.abort()
  await Promise.all(greedy)
})

test(
  'the call thread has a lower priority than the request thread',
  {
    skip: process.platform === 'linux' ? false : 'only Linux has a priority for each thread',
  },
  async (t) => {
    const { call } = await open(t)
    const before = nicenessOfThreads()
    await call('a', sample)
    const added = [...nicenessOfThreads()].filter(([thread]) => !before.has(thread))
    const expected = Math.min(getPriority() + 5, 19)
    assert.ok(
      added.some(([, niceness]) => niceness === expected),
      JSON.stringify(added),
    )
  },
)

/** Of this process, by thread. */
function nicenessOfThreads(): ReadonlyMap<string, number> {
  return new Map(
    readdirSync('/proc/self/task').map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      // The name of the thread may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [thread, Number(fields[16])] as const
    }),
  )
}

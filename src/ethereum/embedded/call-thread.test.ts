import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import type { Worker } from 'node:worker_threads'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { fromHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { createSqliteStore } from '../../content/sqlite-store.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { startThreadWriter } from '../../db/thread-writer.ts'
import { type CallRequest, noOverrides } from '../computation.ts'
import { sampleContractAddress } from './default-genesis.ts'
import { devAccounts } from './dev-accounts.ts'
import { openEmbeddedNetwork } from './embedded-network.ts'
import type { EmbeddedOptions } from './embedded-network.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const signal = new AbortController().signal
const sample = { to: fromHex(sampleContractAddress) }
/** JUMPDEST PUSH0 JUMP: runs until its gas or its time is gone. */
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
  const call = (keyId: string, request: CallRequest, stop = signal) =>
    executor.call({ request, block: head.latest(), overrides: noOverrides }, keyId, stop)
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
  // Far from through with the first two of the hundred.
  assert.ok(ended <= 2, `${ended} endless calls ended first`)
  assert.equal(head.latest().number, 1n)
  stop.abort()
  await Promise.all(greedy)
})

test('a call that ran out of its time fails with a text, is no free timeout, and the next one runs', async (t) => {
  const { call } = await open(t, { turnLimits: { sliceMs: 5, runMs: 1_000, spanMs: 20_000 } })
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

test('a queue that is full for one key is open to others', async (t) => {
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

/** The next thread that starts, as the process sees it. */
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

test('a thread that hangs in one step is replaced, and only the call that hung fails', async (t) => {
  const { call } = await open(t, { turnLimits: { sliceMs: 5, runMs: 1_500, spanMs: 20_000 } })
  // The pairing check of EIP-197 on its generators, so often that it takes seconds.
  const pair = [
    1n,
    2n,
    0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
    0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
    0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
    0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
  ]
  const data = fromHex(
    pair
      .map((word) => word.toString(16).padStart(64, '0'))
      .join('')
      .repeat(700),
  )
  const hanging = call('a', { to: fromHex(`0x${'00'.repeat(19)}08`), data })
  const failed = assert.rejects(hanging, /^Fault: execution aborted \(timeout = /)
  const others = ['b', 'c'].map(async (keyId) => call(keyId, sample))
  await failed
  for (const answer of await Promise.all(others)) assert.equal(answer.length, 32)
})

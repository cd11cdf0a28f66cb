import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { silentLog } from '../base/log.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { openDatabase } from '../db/sqlite.ts'
import { startThreadWriter } from '../db/thread-writer.ts'
import { type CallRequest, noOverrides } from '../chain/computation.ts'
import { sampleContractAddress } from './default-genesis.ts'
import type { BlockRef } from '../chain/head.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { startChainWorker } from './start-chain-worker.ts'
import { devAccounts } from './dev-accounts.ts'
import { openEmbeddedNetwork } from './embedded-network.ts'
import type { EmbeddedOptions } from './embedded-network.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const caller = { accountId: 'a', keyId: 'k' }
const signal = new AbortController().signal

async function open(path: string, part: Partial<EmbeddedOptions> = {}) {
  const writer = await startThreadWriter({ path })
  const database = openDatabase(path, { readOnly: true })
  const network = await openEmbeddedNetwork({
    name: 'embedded',
    database,
    store: createSqliteStore({ db: database, writer }),
    databasePath: path,
    connectWriter: () => writer.connect(),
    log: silentLog,
    clock: systemClock,
    ...part,
  })
  const close = async () => {
    await network.close()
    database.close()
    await writer.close()
  }
  return { ...network, close }
}

const on = (block: BlockRef, request: CallRequest) => ({
  block,
  request,
  overrides: noOverrides,
})

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-embedded-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'cairn.db')
}

const transfer = async (nonce: number, wallet = alice) =>
  fromHex(
    await wallet.signTransaction({
      type: 2,
      chainId: 1337,
      nonce,
      to: devAccounts[1]?.address ?? null,
      value: 1,
      gasLimit: 21_000,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 0,
    }),
  )

test('a sent transaction is in the head block when the answer comes, also after a restart', async (t) => {
  const path = scratch(t)
  const first = await open(path)
  assert.equal(first.chainId, 1337n)
  assert.equal(first.executor.accounts.length, 10)
  assert.equal(first.head.latest().number, 0n)
  const hash = await first.pool.send(await transfer(0), signal)
  const latest = first.head.latest()
  assert.equal(latest.number, 1n)
  assert.deepEqual(first.head.locate(hash, signal), [{ blockHash: latest.hash, index: 0 }])
  assert.equal(await first.pool.pendingNonce(fromHex(alice.address), signal), 1n)
  await first.close()

  const second = await open(path)
  assert.deepEqual(second.head.latest(), latest)
  const answer = await second.executor.call(
    on(latest, { to: fromHex(sampleContractAddress) }),
    caller,
    signal,
  )
  assert.equal(BigInt(toHex(answer)), 1234n)
  await assert.rejects(second.pool.send(await transfer(0), signal), {
    code: 'pool_refused',
    message: 'nonce too low: next nonce 1, tx nonce 0',
  })
  await second.pool.send(await transfer(1), signal)
  assert.equal(second.head.latest().number, 2n)
  await second.close()
})

test('a thread that was started ahead makes the blocks, and ends with the network', async (t) => {
  const startedAhead = startChainWorker()
  const ended = once(startedAhead, 'exit')
  const network = await open(scratch(t), { startedAhead })
  await network.pool.send(await transfer(0), signal)
  assert.equal(network.head.latest().number, 1n)
  await network.close()
  assert.deepEqual(await ended, [0])
})

test('an account with many transactions under way leaves another account its turn', async (t) => {
  const network = await open(scratch(t))
  const bob = new Wallet(devAccounts[1]?.privateKey ?? '')
  const order: string[] = []
  const send = async (raw: Uint8Array, accountId: string) => {
    await network.pool.send(raw, signal, { accountId, keyId: 'k' })
    order.push(accountId)
  }
  const many = await Promise.all(Array.from({ length: 20 }, (_, nonce) => transfer(nonce)))
  const one = await transfer(0, bob)
  await Promise.all([...many.map((raw) => send(raw, 'a')), send(one, 'b')])
  assert.ok(order.indexOf('b') <= 2, order.join(''))
  assert.equal(order.length, 21)
  await network.close()
})

test('a caller that gives up gets a deadline, others go on, and a closed network refuses', async (t) => {
  const network = await open(scratch(t))
  const head = network.head.latest()
  const request = { to: fromHex(sampleContractAddress) }
  const leaver = new AbortController()
  const left = network.executor.call(on(head, request), caller, leaver.signal)
  const stays = network.executor.call(on(head, request), caller, signal)
  leaver.abort()
  await assert.rejects(left, { code: 'deadline' })
  assert.equal((await stays).length, 32)
  assert.equal(
    (await network.executor.estimateGas(on(head, request), caller, signal)) > 21_000n,
    true,
  )
  await network.close()
  await assert.rejects(network.executor.call(on(head, request), caller, signal), {
    code: 'shutting_down',
  })
})

test('a block is made in every period, empty when nothing waits, and none after the end', async (t) => {
  const clock = createManualClock()
  const made: bigint[] = []
  let onBlock = () => {}
  const next = () => new Promise<void>((resolve) => (onBlock = resolve))
  const network = await open(scratch(t), { clock, mining: { everySeconds: 12 } })
  network.head.watch(({ added }) => {
    made.push(...added.map(({ number }) => number))
    onBlock()
  })
  clock.advance(11_999)
  const first = next()
  clock.advance(1)
  await first
  const hash = await network.pool.send(await transfer(0), signal)
  assert.deepEqual(made, [1n])
  assert.deepEqual(network.head.locate(hash, signal), [])
  const second = next()
  clock.advance(12_000)
  await second
  assert.partialDeepStrictEqual(network.head.locate(hash, signal), [{ index: 0 }])
  await network.close()
  assert.equal(clock.timers, 0)
  assert.deepEqual(made, [1n, 2n])
})

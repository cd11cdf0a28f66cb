import assert from 'node:assert/strict'
import test from 'node:test'
import { type CallOwner, type CallRequest, noOverrides } from '../chain/computation.ts'
import type { RequestedCall } from '../chain/evm-executor.ts'
import type { BlockRef } from '../chain/head.ts'
import { createPolledCalls } from './polled-calls.ts'

const to = new Uint8Array(20).fill(0x70)
const { signal } = new AbortController()

function blockOf(number: number): BlockRef {
  return { network: 'main', hash: new Uint8Array(32).fill(number), number: BigInt(number) }
}

function ownerOf(accountId: string): CallOwner {
  return { accountId, keyId: 'key' }
}

type Compute = () => Promise<Uint8Array>

/** `ask` asks at the newest head; `computed`: what was computed at it before. */
function start() {
  const polled = createPolledCalls()
  let head = blockOf(0)
  let computed: { readonly call: RequestedCall; readonly accountId: string }[] = []
  return {
    polled,
    begin(compute: Compute = () => Promise.resolve(Uint8Array.of(Number(head.number)))) {
      head = blockOf(Number(head.number) + 1)
      computed = []
      polled.begin(head, (call, { accountId }) => {
        computed.push({ call, accountId })
        return compute()
      })
      return computed
    },
    ask: (data: number | Uint8Array, more: Partial<RequestedCall> = {}, accountId = 'one') => {
      const bytes = typeof data === 'number' ? Uint8Array.of(data, data >> 8) : data
      const request: CallRequest = { to, data: bytes }
      const call = { request, block: head, overrides: noOverrides, ...more }
      return polled.find(call, ownerOf(accountId), signal)
    },
    block: () => head,
  }
}

test('a call that was asked at two heads in a row is computed at the next, of which it has the result', async () => {
  const { begin, ask, block } = start()
  begin()
  assert.equal(await ask(1), null)
  assert.deepEqual(begin(), [])
  assert.equal(await ask(1), null)
  assert.equal(await ask(2), null)
  const computed = begin()
  assert.deepEqual(
    computed.map(({ call }) => [call.block, call.request.data]),
    [[block(), Uint8Array.of(1, 0)]],
  )
  assert.deepEqual(await ask(1), Uint8Array.of(3))
  assert.equal(await ask(2), null)
})

test('a call that a client no longer asks is computed once, and then not', async () => {
  const { begin, ask } = start()
  for (let head = 0; head < 2; head += 1) {
    begin()
    await ask(1)
  }
  assert.equal(begin().length, 1)
  assert.equal(begin().length, 0)
  await ask(1)
  assert.equal(begin().length, 0)
})

test('calls at other blocks, with overrides or with long calldata are not computed ahead', async () => {
  const { begin, ask } = start()
  for (let head = 0; head < 3; head += 1) {
    assert.equal(begin().length, 0)
    await ask(1, { block: blockOf(99) })
    await ask(1, { overrides: { state: [{ address: to, nonce: 1n }], block: {} } })
    await ask(1, { overrides: { state: [], block: { number: 5n } } })
    await ask(new Uint8Array(20_000))
  }
})

test('a result that failed is computed by the caller; a caller that left gets its reason', async () => {
  const { begin, ask, polled, block } = start()
  for (let head = 0; head < 2; head += 1) {
    begin()
    await ask(1)
  }
  begin(() => Promise.reject(new Error('no upstream')))
  assert.equal(await ask(1), null)
  begin(() => new Promise(() => {}))
  const controller = new AbortController()
  const call = {
    request: { to, data: Uint8Array.of(1, 0) },
    block: block(),
    overrides: noOverrides,
  }
  const left = polled.find(call, ownerOf('one'), controller.signal)
  controller.abort(new Error('left'))
  await assert.rejects(left, /^Error: left$/)
})

test('while the calls of a head are computed, no more are begun at the next', async () => {
  const { begin, ask } = start()
  for (let head = 0; head < 2; head += 1) {
    begin()
    await ask(1)
  }
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  assert.equal(begin(() => promise).length, 1)
  const first = ask(1)
  assert.equal(begin().length, 0)
  await ask(1)
  resolve(Uint8Array.of(7))
  assert.deepEqual(await first, Uint8Array.of(7))
  assert.equal(begin().length, 1)
})

test('at most 32 calls of an account and 128 of all are computed at a head', async () => {
  const { begin, ask } = start()
  for (let head = 0; head < 2; head += 1) {
    begin()
    for (let call = 0; call < 40; call += 1) await ask(call)
  }
  assert.equal(begin().length, 32)
  for (let head = 0; head < 2; head += 1) {
    begin()
    for (let account = 0; account < 10; account += 1) {
      for (let call = 0; call < 32; call += 1) await ask(account * 32 + call, {}, `${account}`)
    }
  }
  assert.equal(begin().length, 128)
})

import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { contractAddress } from '../../codec/ethereum/sender.ts'
import type { StorageRange } from '../../chain/computation.ts'
import { defaultGenesis } from '../default-genesis.ts'
import { devAccounts } from '../dev-accounts.ts'
import { findStart } from '../start-point.ts'
import { Engine } from './engine.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const contract = contractAddress(fromHex(alice.address), 0n)
const word = (value: number) => value.toString(16).padStart(64, '0')
const hashOf = (slot: number) => toHex(keccak256(fromHex(`0x${word(slot)}`)))
const zeros = new Uint8Array(32)

/** Sets slots 1 to 5 to 0x11 to 0x15; the deployed code sets slot 3 to the first word of its input. */
const init =
  '0x' +
  [1, 2, 3, 4, 5].map((slot) => `601${slot}600${slot}55`).join('') +
  '645f35600355' +
  '5f5260056' +
  '01bf3'

/** Block 1: makes the contract. Block 2: two transactions that set slot 3 to 0x77, then to 0x88. Block 3: empty. */
async function open(t: TestContext) {
  const { store, index, log } = openChainDatabase(t)
  const genesis = defaultGenesis
  const start = await findStart({ network: 'test', genesis, store, index, log })
  const engine = await Engine.open({
    network: 'test',
    genesis,
    store,
    index,
    mining: 'off',
    now: () => 1_800_000_000_000,
    onBlock: () => {},
    onPending: () => {},
    log: silentLog,
  })
  const send = async (nonce: number, request: { to?: string; data: string }) =>
    await engine.send(
      fromHex(
        await alice.signTransaction({
          chainId: 1337,
          type: 2,
          nonce,
          gasLimit: 300_000,
          maxFeePerGas: 2_000_000_000n,
          maxPriorityFeePerGas: 1_000_000_000n,
          ...request,
        }),
      ),
    )
  const hashes = [start.hash]
  const mine = async () => hashes.push((await engine.mine()).hash)
  await send(0, { data: init })
  await mine()
  for (const [nonce, value] of [
    [1, 0x77],
    [2, 0x88],
  ] as const) {
    await send(nonce, { to: toHex(contract), data: `0x${word(value)}` })
  }
  await mine()
  await mine()
  const { run } = createChainCalls({ genesis, store, index })
  return async (
    number: number,
    at: number,
    from: Uint8Array = zeros,
    max = 10,
    address = contract,
  ) => {
    const blockHash = hashes[number] ?? assert.fail()
    const query = { blockHash, index: at, address, start: from, max }
    const range = (await run({ kind: 'storage-range', ...query })) as StorageRange | null
    if (range === null) return null
    const slots = range.slots.map(({ hashedKey, value }) => [
      toHex(hashedKey),
      Number(toHex(value)),
    ])
    return { slots, next: range.next === null ? null : toHex(range.next) }
  }
}

/** Slots in the order of their hashed keys. */
function slotsWith(third: number) {
  return [0x11, 0x12, third, 0x14, 0x15]
    .map((value, at): [string, number] => [hashOf(at + 1), value])
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

test('the storage is that right before the transaction', async (t) => {
  const range = await open(t)
  assert.equal(await range(1, 0), null)
  assert.deepEqual(await range(2, 0), { slots: slotsWith(0x13), next: null })
  assert.deepEqual(await range(2, 1), { slots: slotsWith(0x77), next: null })
  // A block without transactions: the state before it.
  assert.deepEqual(await range(3, 0), { slots: slotsWith(0x88), next: null })
  assert.equal(await range(3, 0, zeros, 10, new Uint8Array(20).fill(9)), null)
})

test('pages follow each other without a gap, wherever they begin', async (t) => {
  const range = await open(t)
  const all = slotsWith(0x88)
  const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = all
  assert.deepEqual(await range(3, 0, zeros, 2), { slots: [first, second], next: third[0] })
  assert.deepEqual(await range(3, 0, fromHex(third[0]), 9), { slots: all.slice(2), next: null })
  const after = fromHex(third[0])
  after[31] = (after[31] ?? 0) + 1
  assert.deepEqual(await range(3, 0, after, 9), { slots: all.slice(3), next: null })
  assert.deepEqual(await range(3, 0, zeros, 0), { slots: [], next: first[0] })
  assert.deepEqual(await range(3, 0, new Uint8Array(32).fill(255)), { slots: [], next: null })
})

test('what has no such transaction is refused in words of geth', async (t) => {
  const range = await open(t)
  await assert.rejects(range(0, 0), { message: 'no transaction in genesis' })
  for (const [number, at] of [
    [2, 2],
    [2, -1],
    [3, 1],
  ] as const) {
    await assert.rejects(range(number, at), {
      code: 'execution_failed',
      message: new RegExp(`^transaction index ${at} out of range for block 0x[0-9a-f]{64}$`),
    })
  }
})

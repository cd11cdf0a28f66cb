import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Wallet } from 'ethers'
import { createChainCalls } from '../../../test/fakes/chain-calls.ts'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { defaultGenesis, sampleContractAddress } from '../default-genesis.ts'
import { devAccounts } from '../dev-accounts.ts'
import { findStart } from '../start-point.ts'

const alice = new Wallet(devAccounts[0]?.privateKey ?? '')
const sample = fromHex(sampleContractAddress)
const keyless = fromHex(`0x${'ab'.repeat(20)}`)

async function open(t: TestContext) {
  const { store, index, log } = openChainDatabase(t)
  const genesis = defaultGenesis
  const { hash } = await findStart({ network: 'test', genesis, store, index, log })
  return { hash, ...createChainCalls({ genesis, store, index }) }
}

const word = (value: bigint) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const number = (bytes: Uint8Array) => BigInt(toHex(bytes))
/** Returns the word that `code` leaves on the stack. */
const returning = (code: string) => ({ data: fromHex(`0x${code}5f5260205ff3`) })

test('accounts read as they were overridden, and the next call sees the chain again', async (t) => {
  const { call, hash } = await open(t)
  const slot = word(0n)
  const diff = [{ address: sample, stateDiff: [{ slot, word: word(7n) }] }]
  assert.equal(number(await call({ to: sample }, hash, { state: diff })), 7n)
  const whole = [{ address: sample, state: [{ slot: word(9n), word: word(1n) }] }]
  assert.equal(number(await call({ to: sample }, hash, { state: whole })), 0n)
  assert.equal(number(await call({ to: sample }, hash)), 1234n)
  const state = [
    { address: keyless, balance: 10n ** 30n, code: fromHex('0x325f5260205ff3'), nonce: 3n },
  ]
  // ORIGIN: an account that gets code by the override, and a balance to pay with.
  const paid = { from: keyless, to: keyless, value: 1n, gas: 100_000n, gasPrice: 10n ** 10n }
  assert.equal(number(await call(paid, hash, { state })), number(keyless))
  await assert.rejects(call(paid, hash), /insufficient funds/)
  const both = [{ address: sample, state: [], stateDiff: [] }]
  await assert.rejects(call({ to: sample }, hash, { state: both }), {
    message: `account 0x295A70B2De5e3953354a6a8344e616eD314D7251 has both 'state' and 'stateDiff'`,
  })
})

test('an override that changes nothing makes no account, and a moved contract is warm where it was', async (t) => {
  const { call, hash } = await open(t)
  const moved = word(0x123456n).subarray(12)
  const state = [{ address: word(1n).subarray(12), movePrecompileTo: moved }]
  // GAS before and after BALANCE of the address; PUSH20, POP and GAS itself take 7 of the difference.
  const gasOf = async (address: Uint8Array) => {
    const code = returning(`5a73${toHex(address).slice(2)}31505a9003`)
    return number(await call(code, hash, { state })) - 7n
  }
  assert.equal(await gasOf(word(1n).subarray(12)), 100n)
  assert.equal(await gasOf(moved), 2_600n)
  // EXTCODEHASH of a nonexistent account is zero.
  const hashed = returning(`73${toHex(word(1n).subarray(12)).slice(2)}3f`)
  assert.equal(number(await call(hashed, hash, { state })), 0n)
})

test('code at a genesis with a difficulty runs by the rules from before the merge', async (t) => {
  const { store, index, log } = openChainDatabase(t)
  const genesis = { ...defaultGenesis, difficulty: 0x20000n }
  const { hash } = await findStart({ network: 'test', genesis, store, index, log })
  const { call, estimateGas } = createChainCalls({ genesis, store, index })
  const push0 = { data: fromHex('0x5f5ff3') }
  const unknown = { code: 'execution_failed', message: 'invalid opcode: PUSH0' }
  await assert.rejects(call(push0, hash), unknown)
  await assert.rejects(estimateGas(push0, hash), unknown)
  const difficulty = { data: fromHex('0x4460005260206000f3') }
  assert.equal(number(await call(difficulty, hash)), 0x20000n)
})

test('a precompiled contract that fails has not reverted', async (t) => {
  const { call, estimateGas, hash } = await open(t)
  // Not a point of the curve.
  const point = {
    to: word(6n).subarray(12),
    data: fromHex(`0x${'00'.repeat(31)}01`.padEnd(258, '03')),
  }
  const failure = { code: 'execution_failed', message: 'malformed point' }
  await assert.rejects(call(point, hash), failure)
  await assert.rejects(estimateGas(point, hash), failure)
})

test('a request whose fields do not go together is refused in the words of go-ethereum', async (t) => {
  const { call, hash } = await open(t)
  const hashes = (version: string, count: number) =>
    Array.from({ length: count }, () => fromHex(`0x${version}${'00'.repeat(31)}`))
  const to = keyless
  const cases = [
    [{ to, blobVersionedHashes: [] }, 'blob transaction missing blob hashes'],
    [{ to, blobVersionedHashes: hashes('02', 1) }, 'blob has invalid hash version'],
    [{ to, blobVersionedHashes: hashes('01', 7) }, '7 blobs exceeds max 6 blobs per tx (EIP-7594)'],
    [{ blobVersionedHashes: hashes('01', 1) }, 'blob transaction of type create'],
    [{ to, authorizationList: [] }, 'EIP-7702 transaction with empty auth list'],
    [{ data: new Uint8Array(49_153) }, 'max initcode size exceeded'],
  ] as const
  for (const [request, message] of cases) {
    await assert.rejects(call(request, hash), { code: 'execution_failed', message })
  }
})

test('block fields read as they were overridden', async (t) => {
  const { call, estimateGas, hash } = await open(t)
  const block = {
    number: 77n,
    time: 1_900_000_000n,
    gasLimit: 123_456_789n,
    feeRecipient: keyless,
    prevRandao: word(5n),
    blobBaseFee: 99n,
    baseFeePerGas: 3n,
  }
  const see = async (code: string, prices = {}) =>
    number(await call({ ...returning(code), ...prices }, hash, { block }))
  assert.equal(await see('43'), 77n)
  assert.equal(await see('42'), 1_900_000_000n)
  assert.equal(await see('45'), 123_456_789n)
  assert.equal(await see('41'), number(keyless))
  assert.equal(await see('44'), 5n)
  assert.equal(await see('4a'), 99n)
  assert.equal(await see('48'), 0n)
  assert.equal(await see('48', { from: fromHex(alice.address), gas: 90_000n, gasPrice: 9n }), 3n)
  // The hash of a block that does not exist.
  assert.equal(await see('604440'), 0n)
  assert.ok((await estimateGas(returning('43'), hash, { block })) > 53_000n)
})

test('an access list names what is touched beyond what is warm anyway', async (t) => {
  const { createAccessList, hash } = await open(t)
  const own = await createAccessList({ from: fromHex(alice.address), to: sample }, hash)
  assert.deepEqual(
    own.accessList.map(({ address, storageKeys }) => [toHex(address), storageKeys.map(toHex)]),
    [[sampleContractAddress, [toHex(word(0n))]]],
  )
  assert.equal(own.error, null)
  // BALANCE of the caller, of a precompile and of a stranger, then SLOAD of slot 2.
  const code = fromHex(`0x33316001317${'3'}${'ab'.repeat(20)}31600254`)
  const state = [{ address: sample, code }]
  const report = await createAccessList({ to: sample }, hash, { state })
  assert.deepEqual(
    report.accessList.map(({ address, storageKeys }) => [toHex(address), storageKeys.map(toHex)]),
    [
      [toHex(keyless), []],
      [sampleContractAddress, [toHex(word(2n))]],
    ],
  )
  const reverting = [{ address: sample, code: fromHex('0x5f545f5ffd') }]
  const failed = await createAccessList({ to: sample }, hash, { state: reverting })
  assert.equal(failed.error, 'execution reverted')
  assert.equal(failed.accessList.length, 1)
  assert.ok(failed.gasUsed > 21_000n)
})

test('an access list leaves out who authorized code for itself: that is warm anyway', async (t) => {
  const { createAccessList, hash } = await open(t)
  const { chainId, nonce, signature } = await alice.authorize({
    chainId: 1337,
    address: sampleContractAddress,
    nonce: 0,
  })
  const authorization = {
    chainId,
    address: sample,
    nonce,
    yParity: BigInt(signature.yParity),
    r: BigInt(signature.r),
    s: BigInt(signature.s),
  }
  const state = [{ address: keyless, code: fromHex(`0x73${alice.address.slice(2)}31`) }]
  const request = { to: keyless, authorizationList: [authorization] }
  const report = await createAccessList(request, hash, { state })
  assert.deepEqual(report.accessList, [])
})

test('the list is found anew until it holds: a warm slot may open another path', async (t) => {
  const { createAccessList, hash } = await open(t)
  // Reads slot 0. If that took less than 256 gas, slot 0 was warm, and slot 1 is read too.
  const state = [{ address: sample, code: fromHex('0x5a5f54505a900361010011600f57005b60015400') }]
  const report = await createAccessList({ to: sample }, hash, { state })
  assert.equal(report.error, null)
  assert.deepEqual(
    report.accessList.map(({ storageKeys }) => storageKeys.map(toHex)),
    [[toHex(word(0n)), toHex(word(1n))]],
  )
})

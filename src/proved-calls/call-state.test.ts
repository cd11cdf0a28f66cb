import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { Account, createAccount, createAddressFromString } from '@ethereumjs/util'
import { fromHex, toHex } from '../base/hex.ts'
import { type AccountState, emptyCodeHash } from '../codec/ethereum/account-state.ts'
import { CallState } from './call-state.ts'
import { defaultReadLimits, limitReads, type ProvedState } from './proved-state.ts'

const address = createAddressFromString(`0x${'aa'.repeat(20)}`)
const other = createAddressFromString(`0x${'bb'.repeat(20)}`)
const slot = new Uint8Array(32).fill(1)
const root = new Uint8Array(32).fill(9)
const contract: AccountState = {
  nonce: 1n,
  balance: 100n,
  storageRoot: root,
  codeHash: new Uint8Array(32).fill(7),
}

function provedState(reads: string[] = []): ProvedState {
  return {
    account(bytes) {
      reads.push(`account ${toHex(bytes).slice(2, 4)}`)
      return toHex(bytes) === address.toString() ? contract : null
    },
    slot(_, storageRoot, position) {
      reads.push(`slot ${toHex(storageRoot).slice(2, 4)} ${position[0]}`)
      return Promise.resolve(fromHex(`0x${'00'.repeat(31)}05`))
    },
    code: () => fromHex('0x6001'),
    hashOf: () => root,
    nodes: () => Promise.resolve([]),
  }
}

const balanceOf = async (state: CallState) => (await state.getAccount(address))?.balance

test('what a call changed is taken back to its checkpoint, and nothing before it', async () => {
  const state = new CallState(provedState())
  await state.putAccount(address, createAccount({ ...contract, balance: 1n }))
  await state.checkpoint()
  await state.putAccount(address, createAccount({ ...contract, balance: 2n }))
  await state.putStorage(address, slot, Uint8Array.of(8))
  await state.checkpoint()
  await state.deleteAccount(address)
  equal(await state.getAccount(address), undefined)
  deepEqual(await state.getStorage(address, slot), new Uint8Array(0))
  await state.revert()
  equal(await balanceOf(state), 2n)
  deepEqual(await state.getStorage(address, slot), Uint8Array.of(8))
  await state.checkpoint()
  await state.clearStorage(address)
  await state.commit()
  await state.revert()
  equal(await balanceOf(state), 1n)
  deepEqual(await state.getStorage(address, slot), Uint8Array.of(5))
})

test('an account that a reader changes stays as it is until it is put', async () => {
  const state = new CallState(provedState())
  const read = (await state.getAccount(address)) ?? new Account()
  read.balance = 7n
  equal(await balanceOf(state), 100n)
  await state.putAccount(address, read)
  read.balance = 8n
  equal(await balanceOf(state), 7n)
})

test('a slot has its original value after it was written, until the transaction ends', async () => {
  const state = new CallState(provedState())
  deepEqual(await state.originalStorageCache.get(address, slot), Uint8Array.of(5))
  await state.putStorage(address, slot, Uint8Array.of(0, 3))
  deepEqual(await state.getStorage(address, slot), Uint8Array.of(3))
  deepEqual(await state.originalStorageCache.get(address, slot), Uint8Array.of(5))
  state.originalStorageCache.clear()
  deepEqual(await state.originalStorageCache.get(address, slot), Uint8Array.of(3))
})

test('cleared storage, absent accounts and new code are not asked for', async () => {
  const reads: string[] = []
  const state = new CallState(provedState(reads))
  await state.clearStorage(address)
  reads.length = 0
  deepEqual(await state.getStorage(address, slot), new Uint8Array(0))
  deepEqual(reads, [])
  deepEqual(await state.getCode(other), new Uint8Array(0))
  await state.putCode(other, Uint8Array.of(0x5b))
  deepEqual(await state.getCode(other), Uint8Array.of(0x5b))
  deepEqual(await state.getCode(address), fromHex('0x6001'))
  await state.putAccount(other, createAccount({ ...contract, codeHash: emptyCodeHash }))
  equal(await state.getCodeSize(other), 0)
})

test('one value more than a limit is refused with the limit; the same value counts once', () => {
  const limits = { ...defaultReadLimits, accounts: 1, slots: 2, headers: 1, codeBytes: 3 }
  const state = limitReads(provedState(), limits)
  void state.account(address.bytes)
  void state.account(address.bytes)
  throws(() => state.account(other.bytes), { message: 'the call reads more than 1 accounts' })
  const position = (at: number) => new Uint8Array(32).fill(at)
  for (const at of [1, 2, 1]) void state.slot(address.bytes, root, position(at))
  throws(() => state.slot(address.bytes, root, position(3)), /more than 2 slots/)
  void state.hashOf(1n)
  throws(() => state.hashOf(2n), /more than 1 headers/)
  void state.code(address.bytes, root)
  void state.code(address.bytes, root)
  throws(() => state.code(address.bytes, slot), /more than 3 bytes of code/)
})

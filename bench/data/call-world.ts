// Contracts for the benchmark of calls, in the genesis of its geth: a token, and copies of a quoter that loops over 24 ticks and
// calls three contracts: about 6,000 instructions, 31 slots of 4 contracts. The copies differ in code and storage, so that the
// first call to each is not cached.
import { createHash } from 'node:crypto'
import { toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { defaultGenesis } from '../../src/devchain/default-genesis.ts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'
import { chainId } from './genesis.ts'

export type CallWorld = {
  /** As in a genesis file. */
  readonly genesis: unknown
  /** Returns the balance of its argument. */
  readonly token: string
  readonly holders: readonly string[]
  readonly quoters: readonly string[]
}

type Account = readonly [address: string, account: unknown]

const ticks = 24
/** Words that a quoter reads in addition to its ticks. */
const ownSlots = 4
/** Rounds of arithmetic per tick, of 17 instructions each. */
const roundsEach = 13
/** Slots of other owners, so that storage tries have a realistic depth. */
const fillers = 100

// mstore(0, calldataload(0)); return sload(keccak256(0, 64))
const tokenCode = '5f355f5260405f20545f5260205ff3'

export function createCallWorld(size: {
  readonly holders: number
  readonly quoters: number
}): CallWorld {
  const holders = Array.from({ length: size.holders }, (_, index) => addressOf(`holder ${index}`))
  const token = addressOf('token')
  const quoters = Array.from({ length: size.quoters }, (_, index) => quoterOf(index))
  const rich = { balance: `0x${(10n ** 24n).toString(16)}` }
  return {
    token,
    holders,
    quoters: quoters.map(({ address }) => address),
    genesis: {
      config: { ...defaultGenesis.config, chainId },
      nonce: '0x0',
      timestamp: '0x6553f100',
      extraData: '0x636169726e',
      gasLimit: '0x3938700',
      difficulty: '0x0',
      mixHash: word(0),
      coinbase: `0x${'0'.repeat(40)}`,
      alloc: Object.fromEntries<unknown>([
        ...devAccounts.map(({ address }) => [address, rich] as const),
        ...systemContracts.map(({ address, code }) => [address, contract(code, {})] as const),
        [token, contract(`0x${tokenCode}`, balancesOf(holders))],
        ...quoters.flatMap(({ accounts }) => accounts),
      ]),
    },
  }
}

/** Calldata of the token. */
export function balanceData(holder: string): string {
  return word(BigInt(holder))
}

/** A quoter, with the contracts that it calls. */
function quoterOf(index: number): { readonly address: string; readonly accounts: Account[] } {
  const address = addressOf(`quoter ${index}`)
  const called = ['a', 'b', 'c'].map((name) => addressOf(`called ${index} ${name}`))
  const words = Array.from({ length: ownSlots }, (_, slot) => [word(slot), valueOf(slot)])
  const entries = Array.from({ length: ticks }, (_, at) => [entryOf(word(at + 1), 5), valueOf(at)])
  const storage = Object.fromEntries([...words, ...entries]) as Readonly<Record<string, string>>
  const tokens = called.map((each): Account => {
    const owners = Array.from({ length: fillers }, (_, at) => addressOf(`${each} ${at}`))
    return [each, contract(`0x${tokenCode}${tailOf(each)}`, balancesOf([address, ...owners]))]
  })
  const code = `0x${quoterCode(called)}${tailOf(address)}`
  return { address, accounts: [[address, contract(code, storage)], ...tokens] }
}

/** Returns the sum of words of its storage, each mixed for some rounds, and of its balances at the called contracts. */
function quoterCode(called: readonly string[]): string {
  const begin = `5f60${byte(ticks)}` // sum = 0; i = 24
  const load = `5b805f526005602052` + `60405f205460${byte(roundsEach)}` // v = sload(keccak256(i ++ 5)); j = 13
  const loop = begin.length / 2
  const inner = loop + load.length / 2
  const stir = `5b9080026003018060071c1890600190038060${byte(inner)}57` // v = v * v + 3; v ^= v >> 7; while (--j)
  const next = `5091909101906001900380` + `60${byte(loop)}5750` // sum += v; while (--i)
  const own = Array.from({ length: ownSlots }, (_, slot) => `60${byte(slot)}5401`) // sum += sload(slot)
  const calls = called.map(
    // sum += staticcall(address, own address)
    (address) => `6020604060205f73${address.slice(2)}5afa5060405101`,
  )
  return `${begin}${load}${stir}${next}${own.join('')}305f52${calls.join('')}5f5260205ff3`
}

function contract(code: string, storage: Readonly<Record<string, string>>): unknown {
  return { nonce: '0x1', balance: '0x0', code, storage }
}

function balancesOf(owners: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    owners.map((owner, index) => [entryOf(balanceData(owner), 0), word(index + 1)]),
  )
}

/** The slot of an entry of a mapping at `slot`, as Solidity computes it. */
function entryOf(key: string, slot: number): string {
  return toHex(keccak256(Buffer.from(`${key.slice(2)}${word(slot).slice(2)}`, 'hex')))
}

export function addressOf(name: string): string {
  return `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`
}

function valueOf(of: number): string {
  return word(BigInt(`0x${createHash('sha256').update(`value ${of}`).digest('hex')}`) >> 128n)
}

/** Never executed: makes the code hash unique. */
function tailOf(address: string): string {
  return `00${address.slice(2, 18)}`
}

function word(value: number | bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

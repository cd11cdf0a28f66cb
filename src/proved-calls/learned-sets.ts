// Predicts the accounts and slots that a call reads from earlier calls of the same function, so that they can be fetched in one
// round trip. A slot of a mapping is stored as a formula: keccak256 of two words, one of them a word of the calldata, the sender,
// or another such hash. Sets are separate per customer account, so one client cannot make another's calls fetch more. When memory
// is full, the account with the most entries loses its oldest set.
// Tested by src/proved-calls/learned-sets.test.ts
import { fromLatin1, toLatin1 } from '../base/hex.ts'
import { setNewest } from '../base/lru-cache.ts'
import type { AccessListEntry, CallRequest } from '../chain/computation.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { Reads } from './proved-state.ts'

/** Formula of a 32-byte word. */
type Term =
  | { readonly from: 'constant'; readonly word: string }
  /** A word of the calldata. */
  | { readonly from: 'data'; readonly index: number }
  | { readonly from: 'sender' | 'coinbase' }
  /** keccak256(first ++ second) + offset. */
  | {
      readonly from: 'hash'
      readonly first: Term
      readonly second: Term
      readonly offset: number
    }

/** Slots by the JSON text of their term; a set has accounts by the JSON text of theirs. */
type LearnedAccount = { readonly address: Term; readonly slots: ReadonlyMap<string, Term> }
type LearnedSet = ReadonlyMap<string, LearnedAccount>

/** `words`: accounts and slots. `isReliable`: the set covered all reads of the last call. */
type Learned = { readonly set: LearnedSet; readonly words: number; isReliable: boolean }

export type LearnedCall = {
  readonly network: string
  readonly accountId: string
  readonly request: CallRequest
  /** Coinbase of the block, 20 bytes. */
  readonly coinbase: Uint8Array
}

export type LearnedSets = {
  /** Expected reads of a call and its carried calls; null if one of them has no reliable set. */
  predict(calls: readonly LearnedCall[]): readonly AccessListEntry[] | null
  /** Call after the execution. `reads`: without those of carried calls. */
  learn(call: LearnedCall, reads: Reads): void
  /** Call with each input of KECCAK256. */
  noteHash(input: Uint8Array, hash: Uint8Array): void
}

/** Maximum accounts and slots of one set. A call that reads more is not learned. */
const wordsPerSetMax = 512
/** Limits over all sets. `words`: accounts and slots. */
const defaultLimits = { sets: 20_000, words: 500_000 }
/** KECCAK256 inputs in memory, over all calls. */
const preimagesMax = 20_000
/** Nesting of hashes: 2 for a mapping of mappings. */
const depthMax = 2
/** Slots of one mapping entry, for structs. */
const offsetsMax = 8
/** Words of calldata that terms can refer to. */
const dataWordsMax = 64
/** Words that start with these zeros are small numbers: not hashes, and equal to other words by chance. */
const zeros = '\0'.repeat(24)

/** Sets of one account, least recently used first. `words`: accounts and slots in them. */
type AccountSets = { readonly sets: Map<string, Learned>; words: number }

export function createLearnedSets(limits = defaultLimits): LearnedSets {
  const accounts = new Map<string, AccountSets>()
  const preimages = new Map<string, string>()
  let count = 0
  let words = 0

  function find(call: LearnedCall): Learned | undefined {
    return accounts.get(call.accountId)?.sets.get(keyOf(call))
  }

  function store(call: LearnedCall, learned: Learned): void {
    const key = keyOf(call)
    forget(call.accountId, key)
    const account = accounts.get(call.accountId) ?? { sets: new Map<string, Learned>(), words: 0 }
    accounts.set(call.accountId, account)
    account.sets.set(key, learned)
    add(account, 1, learned.words)
    while (count > limits.sets) forgetOldest(({ sets }) => sets.size)
    while (words > limits.words) forgetOldest((account) => account.words)
  }

  /** Removes the oldest set of the account with the largest size. */
  function forgetOldest(sizeOf: (account: AccountSets) => number): void {
    let largest: readonly [string, AccountSets] | null = null
    for (const each of accounts) {
      if (largest === null || sizeOf(each[1]) > sizeOf(largest[1])) largest = each
    }
    const [accountId, { sets }] = largest as readonly [string, AccountSets]
    const [oldest = ''] = sets.keys()
    forget(accountId, oldest)
  }

  function forget(accountId: string, key: string): void {
    const account = accounts.get(accountId)
    const learned = account?.sets.get(key)
    if (account === undefined || learned === undefined) return
    account.sets.delete(key)
    add(account, -1, -learned.words)
    if (account.sets.size === 0) accounts.delete(accountId)
  }

  function add(account: AccountSets, sets: number, addedWords: number): void {
    count += sets
    words += addedWords
    account.words += addedWords
  }

  return {
    predict(calls) {
      const all = new Map<string, Set<string>>()
      for (const call of calls) {
        const learned = find(call)
        if (learned?.isReliable !== true) return null
        for (const [address, slots] of evaluate(learned.set, wordsOf(call))) {
          const known = all.get(address)
          if (known === undefined) all.set(address, slots)
          else for (const slot of slots) known.add(slot)
        }
      }
      return [...all].map(([address, slots]) => ({
        address: fromLatin1(address),
        storageKeys: [...slots].map(fromLatin1),
      }))
    },
    learn(call, reads) {
      const callWords = wordsOf(call)
      const known = find(call)
      if (known !== undefined && covers(evaluate(known.set, callWords), reads)) {
        known.isReliable = true
        return store(call, known)
      }
      const explained = explain(reads, callWords, preimages)
      const explainedWords = countWords(explained)
      if (explainedWords > wordsPerSetMax) return forget(call.accountId, keyOf(call))
      const combined = known === undefined ? explained : union(known.set, explained)
      const combinedWords = countWords(combined)
      // Keep reads of earlier calls that this one lacks only if they are not more than its own.
      const isLarge = combinedWords > Math.min(2 * explainedWords, wordsPerSetMax)
      const learned = isLarge
        ? { set: explained, words: explainedWords }
        : { set: combined, words: combinedWords }
      store(call, { ...learned, isReliable: known === undefined })
    },
    noteHash(input, hash) {
      if (input.length !== 64) return
      setNewest(preimages, toLatin1(hash), toLatin1(input), preimagesMax)
    },
  }
}

/** Key within the sets of its account. */
function keyOf({ network, request: { to, data } }: LearnedCall): string {
  const selector = data === undefined ? '' : toLatin1(data.subarray(0, 4))
  return `${network}\n${to === undefined ? '' : toLatin1(to)}${selector}`
}

/** The words of a call that terms can refer to. */
type CallWords = {
  readonly data: readonly string[]
  readonly sender: string
  readonly coinbase: string
}

function wordsOf({ request, coinbase }: LearnedCall): CallWords {
  const { data = new Uint8Array(0), from = new Uint8Array(20) } = request
  // Skip the selector, if there is one.
  const start = data.length % 32 === 0 ? 0 : 4
  const count = Math.min(Math.floor((data.length - start) / 32), dataWordsMax)
  return {
    data: Array.from({ length: Math.max(count, 0) }, (_, index) =>
      toLatin1(data.subarray(start + 32 * index, start + 32 * (index + 1))),
    ),
    sender: wordOfAddress(toLatin1(from)),
    coinbase: wordOfAddress(toLatin1(coinbase)),
  }
}

/** Offset of an address in a word. */
const addressAt = 12

function wordOfAddress(address: string): string {
  return '\0'.repeat(addressAt) + address
}

/** Converts reads to terms. */
function explain(
  reads: Reads,
  callWords: CallWords,
  preimages: ReadonlyMap<string, string>,
): LearnedSet {
  const set = new Map<string, LearnedAccount>()
  for (const [address, positions] of reads) {
    const slots = new Map<string, Term>()
    for (const position of positions) {
      const term = explainSlot(position, callWords, preimages)
      slots.set(JSON.stringify(term), term)
    }
    const term = explainWord(wordOfAddress(address), callWords)
    const name = JSON.stringify(term)
    const existing = set.get(name)?.slots ?? []
    set.set(name, { address: term, slots: new Map([...existing, ...slots]) })
  }
  return set
}

function explainSlot(
  position: string,
  callWords: CallWords,
  preimages: ReadonlyMap<string, string>,
): Term {
  // Too small for a hash or a hash with an offset.
  if (position.startsWith(zeros)) return constant(position)
  const at = numberOf(position)
  for (let offset = 0; offset < offsetsMax; offset += 1) {
    const hash = offset === 0 ? position : wordOf(at - BigInt(offset))
    if (!preimages.has(hash)) continue
    const term = explainHash(hash, offset, { callWords, preimages }, 1)
    // No other hash is within the offsets.
    return dependsOnCall(term) ? term : explainWord(position, callWords)
  }
  return explainWord(position, callWords)
}

/** `hash`: one of `preimages`. */
function explainHash(
  hash: string,
  offset: number,
  context: { readonly callWords: CallWords; readonly preimages: ReadonlyMap<string, string> },
  depth: number,
): Term {
  const input = context.preimages.get(hash) ?? ''
  const [first = constant(''), second = constant('')] = [input.slice(0, 32), input.slice(32)].map(
    (word) => {
      const isHash = depth < depthMax && context.preimages.has(word)
      const inner = isHash ? explainHash(word, 0, context, depth + 1) : null
      if (inner !== null && dependsOnCall(inner)) return inner
      // The key of a mapping may be any word, also a small one.
      const index = context.callWords.data.indexOf(word)
      return index === -1
        ? explainWord(word, context.callWords)
        : ({ from: 'data', index } as const)
    },
  )
  return { from: 'hash', first, second, offset }
}

function explainWord(word: string, callWords: CallWords): Term {
  if (word.startsWith(zeros)) return constant(word)
  if (word === callWords.sender) return { from: 'sender' }
  if (word === callWords.coinbase) return { from: 'coinbase' }
  const index = callWords.data.indexOf(word)
  return index === -1 ? constant(word) : { from: 'data', index }
}

function constant(word: string): Term {
  return { from: 'constant', word }
}

function dependsOnCall(term: Term): boolean {
  if (term.from !== 'hash') return term.from !== 'constant'
  return dependsOnCall(term.first) || dependsOnCall(term.second)
}

/** Slots by address. Skips terms whose calldata word the call lacks. Every call reads its sender and the coinbase. */
function evaluate(set: LearnedSet, callWords: CallWords): Map<string, Set<string>> {
  const baseAddresses = [callWords.sender, callWords.coinbase].map((word) => word.slice(addressAt))
  const reads = new Map(baseAddresses.map((address) => [address, new Set<string>()]))
  for (const { address, slots } of set.values()) {
    const word = evaluateTerm(address, callWords)
    if (word === null || !word.startsWith(wordOfAddress(''))) continue
    const positions = reads.get(word.slice(addressAt)) ?? new Set()
    reads.set(word.slice(addressAt), positions)
    for (const term of slots.values()) {
      const position = evaluateTerm(term, callWords)
      if (position !== null) positions.add(position)
    }
  }
  return reads
}

function evaluateTerm(term: Term, callWords: CallWords): string | null {
  switch (term.from) {
    case 'constant':
      return term.word
    case 'data':
      return callWords.data[term.index] ?? null
    case 'sender':
      return callWords.sender
    case 'coinbase':
      return callWords.coinbase
    case 'hash': {
      const first = evaluateTerm(term.first, callWords)
      const second = evaluateTerm(term.second, callWords)
      if (first === null || second === null) return null
      const hash = toLatin1(keccak256(fromLatin1(first + second)))
      return term.offset === 0 ? hash : wordOf(numberOf(hash) + BigInt(term.offset))
    }
  }
}

function covers(predicted: Reads, reads: Reads): boolean {
  for (const [address, positions] of reads) {
    const predictedSlots = predicted.get(address)
    if (predictedSlots === undefined) return false
    for (const position of positions) if (!predictedSlots.has(position)) return false
  }
  return true
}

function union(one: LearnedSet, other: LearnedSet): LearnedSet {
  const all = new Map(one)
  for (const [name, { address, slots }] of other) {
    const existing = all.get(name)?.slots ?? []
    all.set(name, { address, slots: new Map([...existing, ...slots]) })
  }
  return all
}

function countWords(set: LearnedSet): number {
  let count = 0
  for (const { slots } of set.values()) count += 1 + slots.size
  return count
}

function numberOf(word: string): bigint {
  return BigInt(`0x${Buffer.from(word, 'latin1').toString('hex')}`)
}

function wordOf(number: bigint): string {
  const digits = BigInt.asUintN(256, number).toString(16).padStart(64, '0')
  return Buffer.from(digits, 'hex').toString('latin1')
}

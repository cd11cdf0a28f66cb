// What upstreams say of a transaction hash: where it stands, or how it waits. Words only: the place is checked
// against a proved list, the bytes against the hash. That nobody knows it is never a proof.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { equalBytes, fromHex, toHex, toLatin1 } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/list.ts'
import { Malformed } from '../../codec/malformed.ts'
import { transactionHash, UnsupportedTransaction } from '../../codec/transaction.ts'
import { encodeTransactionsJson } from '../../codec/transaction-json.ts'
import type { TransactionHint } from '../head.ts'

/** What is needed of an upstream. */
export type WordSource = {
  readonly usable: boolean
  cost(methodClass: 'read'): number
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
}

export interface TransactionWords {
  /** Places that upstreams name, each once. Throws `no_upstream` when nobody could be asked. */
  locate(hash: Uint8Array, signal: AbortSignal): AsyncIterable<TransactionHint>
  /** The raw bytes of one that waits, their hash checked; null when nobody has it. Throws as above. */
  findWaiting(hash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null>
}

/** Upstreams asked about one hash. */
const askedMax = 4
/** One request looks up to three times; a client that polls waits longer than this. */
const keptMs = 400
const keptMax = 1_000
/** How long an upstream may think, whoever waits for it. */
const patienceMs = 10_000

/** One upstream's answer: undefined when it could not be asked. */
type Word = { readonly hint: TransactionHint | null; readonly json: unknown } | null | undefined

/** The first upstream alone, then the others together: most hashes are known to the first. */
type Asked = {
  readonly at: number
  readonly first: Promise<readonly Word[]>
  others: Promise<readonly Word[]> | null
}

export function createTransactionWords(parts: {
  readonly network: string
  readonly upstreams: readonly WordSource[]
  readonly clock: Clock
}): TransactionWords {
  const { network, upstreams, clock } = parts
  const kept = new Map<string, Asked>()

  async function ask(sources: readonly WordSource[], hash: string): Promise<readonly Word[]> {
    const { signal, stop } = patience(clock)
    try {
      const answers = await Promise.allSettled(
        sources.map((one) => one.call('eth_getTransactionByHash', [hash], signal)),
      )
      return answers.map((it) => (it.status === 'fulfilled' ? wordOf(it.value) : undefined))
    } finally {
      stop()
    }
  }

  /** Answers as they are asked for. Shared by all who ask about that hash now, so no caller's signal ends it. */
  async function* words(hash: Uint8Array, signal: AbortSignal): AsyncGenerator<NonNullable<Word>> {
    const key = toLatin1(hash)
    const text = toHex(hash)
    const [first, ...others] = upstreams
      .filter(({ usable }) => usable)
      .toSorted((one, other) => one.cost('read') - other.cost('read'))
      .slice(0, askedMax)
    if (first === undefined) throw unreachable()
    const now = clock.monotonic()
    let asked = kept.get(key)
    if (asked === undefined || now - asked.at >= keptMs) {
      asked = { at: now, first: ask([first], text), others: null }
      keep(key, asked)
    }
    const heard = await asked.first
    yield* heard.filter((word) => isWord(word))
    signal.throwIfAborted()
    asked.others ??= ask(others, text)
    const rest = await asked.others
    yield* rest.filter((word) => isWord(word))
    signal.throwIfAborted()
    if (![...heard, ...rest].some((word) => word !== undefined)) throw unreachable()
  }

  function keep(key: string, asked: Asked): void {
    kept.delete(key)
    const [oldest] = kept.size >= keptMax ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(key, asked)
  }

  function unreachable(): Fault {
    return new Fault('no_upstream', { detail: `no source reachable for ${network}` })
  }

  return {
    async *locate(hash, signal) {
      const given: TransactionHint[] = []
      for await (const { hint } of words(hash, signal)) {
        if (hint === null || given.some((one) => isSame(one, hint))) continue
        given.push(hint)
        yield hint
      }
    },
    async findWaiting(hash, signal) {
      for await (const { hint, json } of words(hash, signal)) {
        const raw = hint === null ? rawOf(json) : null
        if (raw !== null && equalBytes(transactionHash(raw), hash)) return raw
      }
      return null
    },
  }
}

function patience(clock: Clock): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const stop = clock.after(patienceMs, () => controller.abort(new Fault('deadline')))
  return { signal: controller.signal, stop }
}

function isWord(word: Word): word is NonNullable<Word> {
  return word !== null && word !== undefined
}

/** What cannot be read is nobody's word. */
function wordOf(json: unknown): Word {
  if (json === null) return null
  if (typeof json !== 'object') return undefined
  const { blockHash, transactionIndex } = json as {
    readonly blockHash?: unknown
    readonly transactionIndex?: unknown
  }
  if (blockHash === null || blockHash === undefined) return { hint: null, json }
  if (typeof blockHash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(blockHash)) return undefined
  if (typeof transactionIndex !== 'string' || !/^0x[0-9a-f]{1,6}$/i.test(transactionIndex)) {
    return undefined
  }
  return { hint: { blockHash: fromHex(blockHash), index: Number(transactionIndex) }, json }
}

function rawOf(json: unknown): Uint8Array | null {
  try {
    return decodeEntries(encodeTransactionsJson([json]))[0] ?? null
  } catch (thrown) {
    if (thrown instanceof Malformed || thrown instanceof UnsupportedTransaction) return null
    throw thrown
  }
}

function isSame(one: TransactionHint, other: TransactionHint): boolean {
  return one.index === other.index && equalBytes(one.blockHash, other.blockHash)
}

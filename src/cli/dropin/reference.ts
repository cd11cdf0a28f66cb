// The block and transaction that the probes request. Both endpoints have them, so both must give the same answer.
// Tested by test/cli/doctor-dropin.test.ts
import type { Answered, Endpoint } from './endpoint.ts'

export type Reference = {
  readonly chainId: string
  /** Hex quantity. */
  readonly number: string
  readonly hash: string
  /** Null: the last blocks contain none. */
  readonly transaction: { readonly hash: string; readonly index: string } | null
  /** An account that the block mentions. */
  readonly address: string
}

type Block = {
  readonly number: string
  readonly hash: string
  readonly miner: string
  readonly transactions: readonly {
    readonly hash: string
    readonly transactionIndex: string
    readonly to: string | null
    readonly from: string
  }[]
}

/** Distance from the lower head, so that both endpoints agree on the block. */
const depth = 2n
/** Number of blocks that are searched for a transaction. */
const searchedMax = 8

/** Throws an Error with a message for the user if an endpoint does not respond, or if they serve different chains. */
export async function findReference(
  theirs: Endpoint,
  ours: Endpoint,
  signal: AbortSignal,
): Promise<Reference> {
  const ask = async (endpoint: Endpoint, method: string, params: readonly unknown[] = []) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await endpoint.send({ method: 'POST', headers, body }, signal)
    return resultOf(endpoint === theirs ? 'their endpoint' : 'this server', method, answer)
  }
  const chains = [await ask(theirs, 'eth_chainId'), await ask(ours, 'eth_chainId')]
  if (chains[0] !== chains[1]) {
    throw new Error(
      `their endpoint serves chain ID ${chainOf(chains[0])} and this server ${chainOf(chains[1])}: choose a network with --network`,
    )
  }
  const heads = [await ask(theirs, 'eth_blockNumber'), await ask(ours, 'eth_blockNumber')].map(
    toHeight,
  )
  const lower = heads.reduce((least, one) => (one < least ? one : least))
  const top = lower > depth ? lower - depth : lower
  let found: Block | null = null
  for (let at = top; at >= 0n && top - at < BigInt(searchedMax); at -= 1n) {
    const block = (await ask(theirs, 'eth_getBlockByNumber', [toHex(at), true])) as Block | null
    if (block === null) break
    found ??= block
    if (block.transactions.length === 0) continue
    found = block
    break
  }
  if (found === null) throw new Error(`their endpoint does not have block ${top}`)
  const own = (await ask(ours, 'eth_getBlockByNumber', [found.number, false])) as Block | null
  if (own?.hash !== found.hash) {
    const hash = own === null ? 'absent' : own.hash
    throw new Error(
      `block ${BigInt(found.number)} is ${found.hash} there and ${hash} here: these are different chains, or this server is behind`,
    )
  }
  const [transaction] = found.transactions
  return {
    chainId: String(chains[0]),
    number: found.number,
    hash: found.hash,
    transaction:
      transaction === undefined
        ? null
        : { hash: transaction.hash, index: transaction.transactionIndex },
    address: transaction?.to ?? transaction?.from ?? found.miner,
  }
}

function resultOf(name: string, method: string, answer: Answered): unknown {
  if ('silent' in answer) throw new Error(`${name} does not answer ${method}: ${answer.silent}`)
  let value: { result?: unknown; error?: { message?: unknown } }
  try {
    value = JSON.parse(answer.text) as typeof value
  } catch {
    value = {}
  }
  if (value?.result !== undefined) return value.result
  const reason =
    typeof value?.error?.message === 'string' ? `: ${value.error.message.slice(0, 200)}` : ''
  throw new Error(`${name} answers ${method} with status ${answer.status}${reason}`)
}

function chainOf(value: unknown): string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
    ? String(BigInt(value))
    : 'unknown'
}

function toHeight(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)) return BigInt(value)
  throw new Error('eth_blockNumber returned no number')
}

function toHex(number: bigint): string {
  return `0x${number.toString(16)}`
}

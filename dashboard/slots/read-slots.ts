// Reads a variable of a contract at one block: its slot, its words, each proved in the browser, and its decoded value.
// Tested by test/browser/slots.test.ts
import { type GetterCall, getterCall, describeWord } from '../../src/codec/ethereum/getter.ts'
import type { StorageLayout } from '../../src/codec/ethereum/storage-layout.ts'
import { placeOf, type StorageLocation } from '../../src/codec/ethereum/storage-path.ts'
import { readStored, type StoredValue } from '../../src/codec/ethereum/stored-value.ts'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { toHex } from '../../src/base/hex.ts'
import { callRpc, type KeyPlace } from '../app/as-key.ts'
import { type Check, checkAnswer } from '../proof/check-answer.ts'
import { bytesOf } from '../proof/proof-steps.ts'

export type Contract = {
  readonly place: KeyPlace
  readonly network: string
  readonly address: string
  /** A tag, a number, or a hash. */
  readonly block: string
}

type ReadWord = {
  /** 32 bytes, hex. */
  readonly slot: string
  readonly word: string
  /** Null: the server sent none. */
  readonly bundle: ProofBundle | null
  /** Why this browser refused the proof; null: proved. */
  readonly why: string | null
}

export type Found = {
  /** `isOwnHash`: the person has entered the hash. */
  readonly block: { readonly hash: string; readonly number: string; readonly isOwnHash: boolean }
  /** The Solidity type. */
  readonly type: string
  readonly value: StoredValue
  readonly words: readonly ReadWord[]
  readonly steps: StorageLocation['steps']
  readonly offset: number
  /** The value is longer than the part that was read. */
  readonly cut: boolean
}

const readsAtOnce = 8

/** Reads with solc's storage layout. Throws StorageLayoutError, ApiError or Error. */
export async function readByLayout(
  contract: Contract,
  layout: StorageLayout,
  path: string,
): Promise<Found> {
  const place = placeOf(layout, path)
  const block = await findBlock(contract)
  const read: ReadWord[] = []
  const { value, cut } = await readStored(layout, place, async (slots) => {
    const words = await readWords(
      contract,
      block.hash,
      slots.map((slot) => `0x${slot.toString(16).padStart(64, '0')}`),
    )
    read.push(...words)
    return words.map(({ word }) => bytesOf(word))
  })
  const { label: type, steps, offset } = place
  return { block, type, value, words: read, steps, offset, cut }
}

/**
 * Reads with an ABI: finds the slot that contains the getter's result among the slots that the getter reads. Throws as
 * readByLayout.
 */
export async function readByAbi(
  contract: Contract,
  abi: Parameters<typeof getterCall>[0],
  path: string,
): Promise<Found> {
  const getter: GetterCall = getterCall(abi, path)
  const block = await findBlock(contract)
  const call = { to: contract.address, data: getter.data }
  const at = { blockHash: block.hash }
  const [answer, list] = await Promise.all([
    request<string>(contract, 'eth_call', [call, at]),
    listAccess(contract, [call, block.number]),
  ])
  const own = list.accessList.filter(
    ({ address }) => address.toLowerCase() === contract.address.toLowerCase(),
  )
  const slots = own.flatMap(({ storageKeys }) => storageKeys)
  const words = await readWords(contract, block.hash, slots)
  const found = words.filter(({ word }) => word === answer)
  if (found.length === 0) {
    throw new Error(
      `${getter.signature} returns ${answer}, but none of the ${slots.length} slots that it reads holds exactly this value: use the storage layout`,
    )
  }
  const [first] = found
  return {
    block,
    type: getter.output,
    value: describeWord(getter.output, bytesOf(answer)),
    words: found,
    steps: [{ text: path, slot: BigInt(first?.slot ?? 0) }],
    offset: 0,
    cut: false,
  }
}

type AccessList = {
  readonly accessList: readonly {
    readonly address: string
    readonly storageKeys: readonly string[]
  }[]
}

/** Uses the zero address as sender: most nodes require a sender that can pay for the gas. */
async function listAccess(contract: Contract, params: readonly unknown[]): Promise<AccessList> {
  try {
    return await request<AccessList>(contract, 'eth_createAccessList', params)
  } catch {
    const funds = { [`0x${'0'.repeat(40)}`]: { balance: `0x${'f'.repeat(32)}` } }
    return await request<AccessList>(contract, 'eth_createAccessList', [...params, funds])
  }
}

async function findBlock(contract: Contract): Promise<Found['block']> {
  const { block } = contract
  const byHash = /^0x[0-9a-fA-F]{64}$/.test(block)
  const spelled = /^\d+$/.test(block) ? `0x${BigInt(block).toString(16)}` : block
  const found = await request<{ hash: string; number: string } | null>(
    contract,
    byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    [spelled, false],
  )
  if (found === null) throw new Error(`block ${block} not found`)
  // Trust the hash that the person has entered, not that of the reply.
  return {
    hash: byHash ? block.toLowerCase() : found.hash,
    number: found.number,
    isOwnHash: byHash,
  }
}

async function readWords(
  contract: Contract,
  blockHash: string,
  slots: readonly string[],
): Promise<readonly ReadWord[]> {
  const words: ReadWord[] = []
  for (let from = 0; from < slots.length; from += readsAtOnce) {
    const some = slots.slice(from, from + readsAtOnce)
    words.push(...(await Promise.all(some.map((slot) => readWord(contract, blockHash, slot)))))
  }
  return words
}

async function readWord(
  { place, network, address }: Contract,
  blockHash: string,
  slot: string,
): Promise<ReadWord> {
  const params = [address, slot, { blockHash }]
  const { reply } = await callRpc(place, network, 'eth_getStorageAt', params, { proof: true })
  if (reply.error !== undefined) throw new Error(reply.error.message)
  const check = await checkAnswer(reply.proof, blockHash, reply.result)
  return {
    slot: toHex(bytesOf(slot)),
    word: String(reply.result),
    bundle: (reply.proof ?? null) as ProofBundle | null,
    why: whyRefused(check),
  }
}

function whyRefused(check: Check): string | null {
  if (!check.proved) return check.why
  return check.matchesReply ? null : `the proof leads to another word: ${check.result}`
}

async function request<Result>(
  { place, network }: Contract,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  const { reply } = await callRpc(place, network, method, params)
  if (reply.error !== undefined) throw new Error(reply.error.message)
  return reply.result as Result
}

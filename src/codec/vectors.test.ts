// The codec against chain data recorded elsewhere: a chain with every fork, and one mainnet block.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { equalBytes, fromHex, toHex, toQuantity } from '../base/hex.ts'
import {
  decodeAccountState,
  decodeStorageValue,
  emptyTrieRoot,
  encodeAccountState,
} from './ethereum/account-state.ts'
import { splitBlock, splitBlocks } from './ethereum/block.ts'
import type { BlockParts } from './ethereum/block.ts'
import { decodeHeader, encodeHeader } from './ethereum/header.ts'
import { keccak256 } from './hash/keccak.ts'
import { decodeEntries, encodeEntries } from './ethereum/list.ts'
import { decodeReceipt, encodeReceipt } from './ethereum/receipt.ts'
import { contractAddress, recoverSender } from './ethereum/sender.ts'
import { decodeTransaction, transactionHash } from './ethereum/transaction.ts'
import { encodeTransaction } from './ethereum/transaction-encode.ts'
import { decodeTrieNode, stepThrough, toNibbles } from './ethereum/trie-node.ts'
import { verifyKeccakKinds } from './hash/verify-keccak.ts'

const folder = process.env['CAIRN_VECTORS'] ?? join(import.meta.dirname, '../../../shared/vectors')
const skip = existsSync(folder)
  ? false
  : 'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors'
const options = { skip }
const read = (path: string) => new Uint8Array(readFileSync(join(folder, path)))
const mainnet = 'mainnet-proofs/usdc-implementation-slot'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

function verifyBlock(parts: BlockParts): void {
  const header = decodeHeader(parts.header)
  assert.deepEqual(encodeHeader(header), parts.header)
  verifyKeccakKinds({ kind: 'header', hash: keccak256(parts.header) }, parts.header)
  verifyKeccakKinds({ kind: 'transactions', hash: header.transactionsRoot }, parts.transactions)
  verifyKeccakKinds({ kind: 'uncles', hash: header.unclesHash }, parts.uncles)
  assert.equal(parts.withdrawals === null, header.withdrawalsRoot === undefined)
  if (parts.withdrawals !== null && header.withdrawalsRoot !== undefined) {
    verifyKeccakKinds({ kind: 'withdrawals', hash: header.withdrawalsRoot }, parts.withdrawals)
  }
  const entries = decodeEntries(parts.transactions)
  assert.deepEqual(encodeEntries(entries), parts.transactions)
  for (const raw of entries) assert.deepEqual(encodeTransaction(decodeTransaction(raw)), raw)
}

/** Number of transactions of each type, 0 to 4. */
function countTypes(lists: readonly Uint8Array[]): number[] {
  const counts = [0, 0, 0, 0, 0]
  for (const raw of lists.flatMap(decodeEntries)) {
    const { type } = decodeTransaction(raw)
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

test(
  'every block of the recorded chain is proved, from the genesis hash to the head',
  options,
  () => {
    const blocks = [...splitBlocks(read('rpc-compat/chain.rlp'))]
    let parent = fromHex('0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99')
    for (const [index, parts] of blocks.entries()) {
      verifyBlock(parts)
      const header = decodeHeader(parts.header)
      assert.deepEqual(header.parentHash, parent)
      assert.equal(header.number, BigInt(index + 1))
      parent = keccak256(parts.header)
    }
    assert.equal(blocks.length, 54)
    assert.equal(
      toHex(parent),
      '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7',
    )
    assert.deepEqual(countTypes(blocks.map((parts) => parts.transactions)), [196, 23, 23, 6, 1])
  },
)

test(
  'every recorded transaction of that chain has the sender and fields found here',
  options,
  () => {
    const byHash = transactionsByHash()
    let compared = 0
    for (const json of recordedObjects()) {
      const raw = byHash.get(textOf(json['hash']))
      if (raw === undefined || json['from'] === undefined || json['nonce'] === undefined) continue
      const transaction = decodeTransaction(raw)
      assert.equal(toHex(recoverSender(transaction)), json['from'])
      assert.equal(toQuantity(transaction.type), json['type'])
      assert.equal(toQuantity(transaction.nonce), json['nonce'])
      assert.equal(toQuantity(transaction.gas), json['gas'])
      assert.equal(toQuantity(transaction.value), json['value'])
      assert.equal(toHex(transaction.data), json['input'])
      assert.equal(transaction.to === null ? null : toHex(transaction.to), json['to'])
      assert.equal(toQuantity(transaction.v), json['v'])
      assert.equal(toQuantity(transaction.r), json['r'])
      assert.equal(toQuantity(transaction.s), json['s'])
      if (transaction.chainId !== null)
        assert.equal(toQuantity(transaction.chainId), json['chainId'])
      compared += 1
    }
    assert.ok(compared >= 15, `only ${compared} compared`)
  },
)

test('every recorded receipt names the sender and the created contract found here', options, () => {
  const byHash = transactionsByHash()
  let compared = 0
  for (const json of recordedObjects()) {
    const raw = byHash.get(textOf(json['transactionHash']))
    if (raw === undefined || json['from'] === undefined) continue
    const transaction = decodeTransaction(raw)
    const sender = recoverSender(transaction)
    const created = transaction.to === null ? contractAddress(sender, transaction.nonce) : null
    assert.equal(toHex(sender), json['from'])
    assert.equal(created && toHex(created), json['contractAddress'])
    compared += 1
  }
  assert.ok(compared >= 5, `only ${compared} compared`)
})

test(
  'recorded receipts have the root that their header states, and are written back',
  options,
  () => {
    const headers = new Map<string, Uint8Array>()
    for (const { header } of splitBlocks(read('rpc-compat/chain.rlp'))) {
      headers.set(toHex(decodeHeader(header).receiptsRoot), header)
    }
    let proved = 0
    for (const result of recordedResults('debug_getRawReceipts')) {
      if (!Array.isArray(result)) continue
      const entries = result.map((hex) => fromHex(textOf(hex)))
      for (const raw of entries) assert.deepEqual(encodeReceipt(decodeReceipt(raw)), raw)
      proved += proveReceipts(headers, entries)
    }
    for (const result of recordedResults('eth_getBlockReceipts')) {
      if (!Array.isArray(result) || result.length === 0) continue
      proved += proveReceipts(headers, result.map(receiptFromJson))
    }
    assert.ok(proved >= 2, `only ${proved} lists proved`)
  },
)

test('the mainnet block is proved and its 207 senders recovered', options, () => {
  const parts = splitBlock(read(`${mainnet}/block.rlp`))
  verifyBlock(parts)
  assert.equal(
    toHex(keccak256(parts.header)),
    '0xa199d286cf882b9d812d0b19f13a9ce754f9ca5896dd5c510945c81c06e3396b',
  )
  assert.deepEqual(parts.header, read(`${mainnet}/header.rlp`))
  assert.deepEqual(countTypes([parts.transactions]), [28, 0, 178, 1, 0])
  const senders = decodeEntries(parts.transactions).map((raw) =>
    toHex(recoverSender(decodeTransaction(raw))),
  )
  assert.equal(senders.length, 207)
  assert.ok(new Set(senders).size > 100)
})

test('no bit of the mainnet header, and no sampled bit of its lists, can change', options, () => {
  const parts = splitBlock(read(`${mainnet}/block.rlp`))
  const header = decodeHeader(parts.header)
  const hash = keccak256(parts.header)
  for (let bit = 0; bit < parts.header.length * 8; bit += 1) {
    refuses('header', hash, flip(parts.header, bit))
  }
  const { transactions, withdrawals } = parts
  for (let bit = 0; bit < transactions.length * 8; bit += 2999) {
    refuses('transactions', header.transactionsRoot, flip(transactions, bit))
  }
  assert.ok(withdrawals !== null && header.withdrawalsRoot !== undefined)
  for (let bit = 0; bit < withdrawals.length * 8; bit += 7) {
    refuses('withdrawals', header.withdrawalsRoot, flip(withdrawals, bit))
  }
})

test('the mainnet proof leads from the block hash to the storage value', options, () => {
  const { address, slot, expected } = mainnetRequest()
  const nodes = mainnetNodes()
  const { stateRoot } = decodeHeader(read(`${mainnet}/header.rlp`))
  const leaf = walk(nodes, stateRoot, keccak256(address))
  assert.ok(leaf !== null)
  const account = decodeAccountState(leaf)
  assert.deepEqual(encodeAccountState(account), leaf)
  const value = walk(nodes, account.storageRoot, keccak256(slot))
  assert.equal(value && toHex(decodeStorageValue(value)), expected)
})

test('no bit of any node of that proof can change', options, () => {
  for (const node of mainnetNodes()) {
    const hash = keccak256(node)
    for (let bit = 0; bit < node.length * 8; bit += 3) refuses('trie-node', hash, flip(node, bit))
  }
})

test('no other address or slot is given a value by that proof', options, () => {
  const { address, slot } = mainnetRequest()
  const nodes = mainnetNodes()
  const { stateRoot } = decodeHeader(read(`${mainnet}/header.rlp`))
  for (let bit = 0; bit < address.length * 8; bit += 1) {
    assert.equal(walk(nodes, stateRoot, keccak256(flip(address, bit))), null)
  }
  const { storageRoot } = decodeAccountState(
    walk(nodes, stateRoot, keccak256(address)) ?? new Uint8Array(0),
  )
  for (let bit = 0; bit < slot.length * 8; bit += 1) {
    assert.equal(walk(nodes, storageRoot, keccak256(flip(slot, bit))), null)
  }
})

function transactionsByHash(): Map<string, Uint8Array> {
  const byHash = new Map<string, Uint8Array>()
  for (const { transactions } of splitBlocks(read('rpc-compat/chain.rlp'))) {
    for (const raw of decodeEntries(transactions)) byHash.set(toHex(transactionHash(raw)), raw)
  }
  return byHash
}

/** The value, or null if the nodes prove absence or one is missing. */
function walk(nodes: readonly Uint8Array[], root: Uint8Array, key: Uint8Array): Uint8Array | null {
  let next = root
  let rest = toNibbles(key)
  for (;;) {
    const bytes = nodes.find((node) => equalBytes(keccak256(node), next))
    if (bytes === undefined) return null
    const step = stepThrough(decodeTrieNode(bytes), rest)
    if (step === 'absent') return null
    if ('value' in step) return step.value
    next = step.next
    rest = step.rest
  }
}

function mainnetRequest() {
  const request = objectOf(JSON.parse(readFileSync(join(folder, mainnet, 'request.json'), 'utf8')))
  const [address, slot] = listOf(request['params'])
    .slice(0, 2)
    .map((hex) => fromHex(textOf(hex)))
  assert.ok(address !== undefined && slot !== undefined)
  return { address, slot, expected: textOf(request['expected_result']) }
}

function mainnetNodes(): Uint8Array[] {
  const text = readFileSync(join(folder, mainnet, 'eth_getProof.json'), 'utf8')
  const result = objectOf(objectOf(JSON.parse(text))['result'])
  const storage = objectOf(listOf(result['storageProof'])[0])
  const nodes = [...listOf(result['accountProof']), ...listOf(storage['proof'])]
  return nodes.map((hex) => fromHex(textOf(hex)))
}

function proveReceipts(headers: Map<string, Uint8Array>, entries: readonly Uint8Array[]): number {
  for (const root of headers.keys()) {
    if (root === toHex(emptyTrieRoot)) continue
    try {
      verifyKeccakKinds({ kind: 'receipts', hash: fromHex(root) }, encodeEntries(entries))
      return 1
    } catch (thrown) {
      assert.ok(thrown instanceof Fault)
    }
  }
  assert.fail(`no header has the root of these ${entries.length} receipts`)
}

function receiptFromJson(item: Json): Uint8Array {
  const json = objectOf(item)
  return encodeReceipt({
    type: Number(textOf(json['type'])),
    status: json['status'] === undefined ? null : json['status'] === '0x1',
    postState: json['root'] === undefined ? null : fromHex(textOf(json['root'])),
    cumulativeGasUsed: BigInt(textOf(json['cumulativeGasUsed'])),
    logsBloom: fromHex(textOf(json['logsBloom'])),
    logs: listOf(json['logs']).map((entry) => {
      const log = objectOf(entry)
      return {
        address: fromHex(textOf(log['address'])),
        topics: listOf(log['topics']).map((topic) => fromHex(textOf(topic))),
        data: fromHex(textOf(log['data'])),
      }
    }),
  })
}

/** Results recorded for one method, or for all. */
function recordedResults(method = ''): Json[] {
  const root = join(folder, 'rpc-compat')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.startsWith(method) && path.endsWith('.io'))
    .flatMap((path) => readFileSync(join(root, path), 'utf8').split('\n'))
    .filter((line) => line.startsWith('<< '))
    .map((line) => objectOf(JSON.parse(line.slice(3)))['result'] ?? null)
}

/** Every object in every recorded result, at any depth. */
function recordedObjects(): { readonly [name: string]: Json }[] {
  const found: { readonly [name: string]: Json }[] = []
  const waiting = recordedResults()
  for (let json = waiting.pop(); json !== undefined; json = waiting.pop()) {
    if (json === null || typeof json !== 'object') continue
    if (!Array.isArray(json)) found.push(objectOf(json))
    waiting.push(...Object.values(json))
  }
  return found
}

function objectOf(json: unknown): { readonly [name: string]: Json } {
  assert.ok(typeof json === 'object' && json !== null)
  return json as { readonly [name: string]: Json }
}

function listOf(json: Json | undefined): readonly Json[] {
  assert.ok(Array.isArray(json))
  return json
}

function textOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : ''
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
}

function refuses(
  kind: 'header' | 'transactions' | 'withdrawals' | 'trie-node',
  hash: Uint8Array,
  bytes: Uint8Array,
) {
  assert.throws(
    () => verifyKeccakKinds({ kind, hash }, bytes),
    (thrown) => thrown instanceof Fault && thrown.code === 'unverified',
  )
}

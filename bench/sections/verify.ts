// Processor time of verification, without a network: a storage proof of ten and six nodes, and the transactions of a new block.
// Each input is verified once.
import type { Bench } from '../bench.ts'
import { fromHex } from '../../src/base/hex.ts'
import { decodeAccountState, decodeStorageValue } from '../../src/codec/ethereum/account-state.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { decodeEntries, encodeEntries } from '../../src/codec/ethereum/list.ts'
import { orderedRoot } from '../../src/codec/ethereum/ordered-trie.ts'
import { decodeTransaction, transactionHash } from '../../src/codec/ethereum/transaction.ts'
import { TrieWalk } from '../../src/codec/ethereum/trie-walk.ts'
import { verifyKeccakKinds } from '../../src/codec/hash/verify-keccak.ts'
import { signTransfers } from '../data/transfers.ts'
import { accountNodes, contracts, createUpstreamWorld, slotNodes } from '../data/upstream-world.ts'
import { median, rounds } from '../measure.ts'

const slotCount = 4096
const blockTransactions = 200
const blocks = 40

/** Processor time of `work` per input, in microseconds: the median of the rounds after the first. */
function cpuUsEach<Input>(inputs: readonly Input[], work: (input: Input) => void): number {
  const figures = Array.from({ length: rounds + 1 }, () => {
    const before = process.cpuUsage()
    for (const input of inputs) work(input)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / inputs.length
  })
  return median(figures.slice(1))
}

export function runVerify(bench: Bench): Promise<void> {
  const { report } = bench
  report.section('Verification')
  const proof = proofCost()
  report.figure(`storage proof of ${accountNodes} + ${slotNodes} nodes`, proof, ' us', {
    atMost: 60,
  })
  const block = blockCost()
  report.figure(`transactions of a block of ${blockTransactions}, proved`, block.proved, ' us')
  report.figure(
    `transactions of a block of ${blockTransactions}, proved, decoded and hashed`,
    block.read / 1000,
    ' ms',
    { atMost: 2 },
  )
  return Promise.resolve()
}

/** Hashes and traverses the nodes, and compares the leaf with the known value of the slot. */
function proofCost(): number {
  const world = createUpstreamWorld(slotCount)
  const key = keccak256(fromHex(contracts.miss))
  const inputs = world.slots(contracts.miss).map(({ slot, value }) => ({
    slot: fromHex(slot),
    value: fromHex(value),
    nodes: world.nodes(contracts.miss, slot),
  }))
  return cpuUsEach(inputs, ({ slot, value, nodes }) => {
    let at = 0
    const next = (from: Uint8Array, start: number): Uint8Array | null => {
      const bytes = nodes[at++] ?? null
      const hash = from.subarray(start, start + 32)
      if (bytes !== null) verifyKeccakKinds({ kind: 'trie-node', hash }, bytes)
      return bytes
    }
    const account = new TrieWalk(world.stateRoot, key).run(next)
    if (account === null || account === undefined) throw new Error('no account')
    const { storageRoot } = decodeAccountState(account)
    const leaf = new TrieWalk(storageRoot, keccak256(slot)).run(next)
    if (leaf === null || leaf === undefined) throw new Error('no slot')
    if (Buffer.compare(decodeStorageValue(leaf), value) !== 0) throw new Error('another value')
  })
}

function blockCost(): { readonly proved: number; readonly read: number } {
  const raws = signTransfers(blockTransactions * blocks).flat()
  const inputs = Array.from({ length: blocks }, (_, block) => {
    const blockRaws = raws.slice(block * blockTransactions, (block + 1) * blockTransactions)
    const entries = blockRaws.map(({ raw }) => fromHex(raw))
    return { hash: orderedRoot(entries), bytes: encodeEntries(entries) }
  })
  const prove = ({ hash, bytes }: (typeof inputs)[number]) =>
    verifyKeccakKinds({ kind: 'transactions', hash }, bytes)
  const read = (input: (typeof inputs)[number]) => {
    prove(input)
    for (const raw of decodeEntries(input.bytes)) {
      decodeTransaction(raw)
      transactionHash(raw)
    }
  }
  return { proved: cpuUsEach(inputs, prove), read: cpuUsEach(inputs, read) }
}

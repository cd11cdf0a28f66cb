// The recorded mainnet block and eth_getProof reply as a Network: block 22196233, one slot of one contract.
import assert from 'node:assert/strict'
import { fromHex, toHex } from '../../../src/base/hex.ts'
import { keccak256 } from '../../../src/codec/hash/keccak.ts'
import type { ContentRef, UnverifiedItem } from '../../../src/content/ref.ts'
import { cutBlocks, readVector } from '../chain-vectors.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './network.ts'

const folder = 'mainnet-proofs/usdc-implementation-slot'

/** Address and position. */
export const usdcSlot = [
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
] as const

/** The recorded reply's `result`. */
export function readMainnetProof(): Readonly<Record<string, unknown>> {
  const text = Buffer.from(readVector(`${folder}/eth_getProof.json`)).toString('utf8')
  return (JSON.parse(text) as { result: Record<string, unknown> }).result
}

/** `change`: alters the content that the source returns; `requested` collects the refs. `params`: slot and block hash. */
export function createMainnetProof(
  change: (items: UnverifiedItem[]) => UnverifiedItem[] = (items) => items,
  requested: ContentRef[] = [],
) {
  const { blocks, items } = cutBlocks(readVector(`${folder}/block.rlp`))
  const nodes = [...JSON.stringify(readMainnetProof()).matchAll(/"(0x[0-9a-f]+)"/g)]
    .map(([, hex]) => hex ?? '')
    .filter((hex) => hex.length > 2 + 64 && hex.length % 2 === 0)
    .map((hex): UnverifiedItem => {
      const bytes = fromHex(hex)
      return { ref: { kind: 'trie-node', hash: keccak256(bytes) }, bytes }
    })
  const refs = blocks.map(({ hash, header }) => ({
    network: 'mainnet',
    hash,
    number: header.number,
  }))
  const network = createFakeNetwork({
    name: 'mainnet',
    head: createFakeHead(refs),
    obtain: createFakeObtain(change([...items, ...nodes]), requested),
  })
  const [block] = blocks
  assert(block !== undefined)
  return { network, block, params: [...usdcSlot, toHex(block.hash)] }
}

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { missingVectors } from '../../../test/fakes/chain-vectors.ts'
import { openStubChain, type StubChain } from '../../../test/fakes/stub-chain.ts'
import type { StubKnobs } from '../../../test/fakes/stub-knobs.ts'
import { startStubUpstream } from '../../../test/fakes/stub-upstream.ts'
import { openUpstreamContent, provedBlock } from '../../../test/fakes/upstream-content.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { encodeEntries } from '../../codec/list.ts'
import {
  findHeader,
  readReceiptList,
  readTransactionList,
  readUncleList,
  readWithdrawalList,
} from '../blocks.ts'
import { readCode, readStorage } from '../state.ts'

const options = { skip: missingVectors }
let chain: StubChain
before(async () => {
  if (missingVectors === false) chain = await openStubChain()
})
const { signal } = new AbortController()

function same(one: Uint8Array | null, other: Uint8Array | null): void {
  assert.equal(one && toHex(one), other && toHex(other))
}

/** The ways in which nodes differ, none of them wrong. */
const nodes: readonly (readonly [string, Partial<StubKnobs>])[] = [
  ['raw calls by hash', {}],
  ['raw calls by number only', { rawByHash: false }],
  ['no debug calls', { lacks: (method) => method.startsWith('debug_') }],
  [
    'no debug calls, v and data only',
    {
      lacks: (method) => method.startsWith('debug_'),
      spelling: { parity: 'v', input: 'data', padded: false },
    },
  ],
  [
    'no debug calls, yParity only, padded integers',
    {
      lacks: (method) => method.startsWith('debug_'),
      spelling: { parity: 'yParity', input: 'both', padded: true },
    },
  ],
  ['no EIP-1898', { blockHashParameter: false }],
  ['whole keys only', { wholeKeysOnly: true }],
]

const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)

for (const [name, knobs] of nodes) {
  test(`state is read and proved from a node with ${name}`, options, async (t) => {
    const stub = await startStubUpstream(t, chain, { knobs })
    const { network, lies, idle } = openUpstreamContent(t, [stub])
    for (const at of [1, 30, 54]) {
      const block = provedBlock(chain.recorded[at] ?? assert.fail())
      const stored = {
        network,
        block,
        address: fromHex(`0x8bebc8ba651aee624937e7d897853ac30c95a067`),
      }
      for (const slot of [1, 2, 3]) same(await readStorage(stored, word(slot), signal), word(slot))
      same(await readStorage(stored, word(4), signal), word(0))
      const coded = { ...stored, address: fromHex('0x000f3df6d732807ef1319fb7b8bb8522d0beac02') }
      assert.ok((await readCode(coded, signal)).length > 20)
    }
    await idle()
    assert.deepEqual(lies, [])
  })

  test(`blocks of every fork are read and proved from a node with ${name}`, options, async (t) => {
    const stub = await startStubUpstream(t, chain, { knobs })
    const { network, lies, idle } = openUpstreamContent(t, [stub])
    for (const one of chain.recorded.filter(({ number }) => number % 6n === 0n)) {
      const block = await findHeader(network, fromHex(one.hash), signal)
      assert.ok(block !== null)
      same(block.bytes, one.parts.header)
      same(await readTransactionList(network, block, signal), one.parts.transactions)
      same(await readReceiptList(network, block, signal), encodeEntries(one.receipts))
      same(await readUncleList(network, block, signal), one.parts.uncles)
      same(await readWithdrawalList(network, block, signal), one.parts.withdrawals)
    }
    await idle()
    assert.deepEqual(lies, [])
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingVectors } from '../../../../test/fakes/chain-vectors.ts'
import {
  createMainnetProof,
  readMainnetProof,
  usdcSlot,
} from '../../../../test/fakes/upstream/mainnet-proof.ts'
import { fromHex } from '../../../base/hex.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import type { ProvedHeader } from '../../proved-memory.ts'
import { createHeadCanary } from './canaries.ts'
import type { Upstream } from '../node/upstream.ts'

const skip = missingVectors
const { signal } = new AbortController()
const upstream = {} as Upstream

/** The recorded block, with the recorded account as its fee recipient. */
async function recorded(): Promise<ProvedHeader> {
  const { network, block } = createMainnetProof()
  const bytes = await network.obtain({ kind: 'header', hash: block.hash }, {}, signal)
  const header = { ...decodeHeader(bytes), miner: fromHex(usdcSlot[0]) }
  return { hash: block.hash, bytes, header }
}

const answering =
  (result: unknown, pinned = true) =>
  async () => ({ params: [], result, pinned })

test('a valid proof is taken, an invalid one is recorded with its evidence', { skip }, async () => {
  const block = await recorded()
  const reply = { ...readMainnetProof(), storageProof: [] }
  const head = () => block
  assert.equal(await createHeadCanary(head, answering(reply))(upstream, signal), 'taken')
  const invalidReply = { ...reply, balance: '0x7' }
  const outcome = await createHeadCanary(head, answering(invalidReply))(upstream, signal)
  assert.partialDeepStrictEqual(outcome, {
    invalidReply: { method: 'eth_getProof', response: invalidReply },
  })
})

test('an incomplete or unpinned reply is no outcome', { skip }, async () => {
  const block = await recorded()
  const { accountProof } = readMainnetProof() as { accountProof: readonly string[] }
  const short = {
    ...readMainnetProof(),
    accountProof: accountProof.slice(0, 3),
    storageProof: [],
  }
  assert.equal(await createHeadCanary(() => block, answering(short))(upstream, signal), 'failed')
  const invalidReply = { ...readMainnetProof(), storageProof: [], balance: '0x7' }
  const unpinned = createHeadCanary(() => block, answering(invalidReply, false))
  assert.equal(await unpinned(upstream, signal), 'failed')
  assert.equal(
    await createHeadCanary(() => null, answering(invalidReply))(upstream, signal),
    'failed',
  )
})

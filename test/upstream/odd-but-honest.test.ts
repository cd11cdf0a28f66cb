// Honest nodes with other formats, missing methods and refusals are not reported as faulty: the answers are the same and proved,
// and no invalid reply is logged.
import assert from 'node:assert/strict'
import test, { before } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createInvalidReplyLog } from '../../src/chain/upstream/pool/invalid-reply-log.ts'
import { findAll } from '../../src/db/sqlite-rows.ts'
import { listInvalidReplies } from '../../src/tables/invalid-replies.ts'
import { openChainDatabase } from '../fakes/chain-database.ts'
import type { StubKnobs } from '../fakes/upstream/stub-knobs.ts'
import { openStubChain, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openUpstreamCase } from '../fakes/upstream/upstream-network.ts'
import { canonical, readsByNumber, readsOf, truthOf } from './reads.ts'

let chain: StubChain

before(async () => {
  chain = await openStubChain()
})

const noDebug = (method: string) => method.startsWith('debug_')

const nodes: Readonly<Record<string, Partial<StubKnobs>>> = {
  'gives everything': {},
  'gives JSON only': { lacks: noDebug },
  'spells v and data, padded': {
    lacks: noDebug,
    spelling: { parity: 'v', input: 'data', padded: true },
  },
  'spells yParity, and both names of the input': {
    lacks: noDebug,
    spelling: { parity: 'yParity', input: 'both', padded: false },
  },
  'takes raw calls by number only': { rawByHash: false },
  'takes numbers only, no EIP-1898': { blockHashParameter: false },
  'takes whole keys only, and no batches': { wholeKeysOnly: true, batches: false },
  'gives receipts one by one': {
    lacks: (method) => noDebug(method) || method === 'eth_getBlockReceipts',
  },
}

for (const [name, knobs] of Object.entries(nodes)) {
  test(`a node that ${name} gives the same answers and is not quarantined`, async (t) => {
    const stub = await startStubUpstream(t, chain, { knobs })
    const model = await startStubUpstream(t, chain)
    const { database } = openChainDatabase(t)
    const parts = { writer: createInlineWriter(database), clock: systemClock, log: silentLog }
    const ledger = createInvalidReplyLog({ network: 'case', ...parts })
    const opened = await openUpstreamCase({ name: 'case', stubs: [stub], ledger })
    let compared = 0
    for (const block of chain.recorded.filter(({ number }) => number % 5n === 4n)) {
      for (const read of [...readsOf(block), ...readsByNumber(block)]) {
        const answer = await opened.read(read.method, read.params)
        const about = `${read.method} ${JSON.stringify(read.params)}`
        assert.ok('result' in answer, `${about}: ${JSON.stringify(answer)}`)
        assert.equal(canonical(answer.result), await truthOf(model, read), about)
        if (answer.result !== null) assert.equal(answer.level, 'proof', about)
        compared += 1
      }
    }
    await opened.idle()
    await opened.close()
    assert.ok(compared > 200, `${compared}`)
    assert.deepEqual(findAll(database, listInvalidReplies(1)), [])
    assert.equal(opened.pool.upstreams[0]?.status().lies, 0)
  })
}

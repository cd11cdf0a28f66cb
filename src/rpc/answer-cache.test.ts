import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createAnswerCache } from './answer-cache.ts'

function hashOf(block: number): Uint8Array {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, block)
  return hash
}

test('an answer is found by network, method, block and input together', () => {
  const cache = createAnswerCache({ bytesMax: 1_000_000 })
  const place = { network: 'a', method: 'm', blockHash: hashOf(1) }
  cache.add(place, 'x', { text: '1', bytes: 1, blockNumber: 1n })
  equal(cache.find({ ...place, blockHash: hashOf(1) }, 'x')?.text, '1')
  equal(cache.find(place, 'y'), null)
  equal(cache.find({ ...place, network: 'b' }, 'x'), null)
  equal(cache.find({ ...place, method: 'n' }, 'x'), null)
  equal(cache.find({ ...place, blockHash: hashOf(2) }, 'x'), null)
})

test('more blocks than are known by name never answer for one another', () => {
  const cache = createAnswerCache({ bytesMax: 100_000_000 })
  const place = (block: number) => ({ network: 'a', method: 'm', blockHash: hashOf(block) })
  const blocks = 40_000
  for (let block = 0; block < blocks; block++) {
    cache.add(place(block), 'x', {
      text: String(block),
      bytes: String(block).length,
      blockNumber: BigInt(block),
    })
  }
  let found = 0
  for (let block = blocks - 1; block >= 0; block--) {
    const answer = cache.find(place(block), 'x')
    if (answer === null) continue
    equal(answer.text, String(block))
    found += 1
  }
  ok(found > 0)
})

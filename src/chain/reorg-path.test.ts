import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createForkedChain } from '../../test/fakes/upstream/forked-chain.ts'
import { type ChainPoint, findReorgPath } from './reorg-path.ts'
import type { ProvedHeader } from './proved-memory.ts'

const { signal } = new AbortController()
const pointAt = ({ hash, header }: ProvedHeader): ChainPoint => ({ hash, number: header.number })

function grow(chain: ReturnType<typeof createForkedChain>, from: ProvedHeader, count: number) {
  const line = [from]
  for (let made = 0; made < count; made += 1) {
    line.push(chain.grow(line.at(-1) as ProvedHeader))
  }
  return line.slice(1)
}

test('between two branches the old one is removed newest first, the new one added oldest first', async () => {
  const chain = createForkedChain()
  const shared = grow(chain, chain.genesis, 3)
  const fork = shared.at(-1) as ProvedHeader
  const [left, entered] = [grow(chain, fork, 2), grow(chain, fork, 4)]
  const way = { from: pointAt(left[1] as ProvedHeader), to: pointAt(entered[3] as ProvedHeader) }
  const path = await findReorgPath(chain.network, way, 100, signal)
  assert.deepEqual(path.left.map(pointAt), left.toReversed().map(pointAt))
  assert.deepEqual(path.entered.map(pointAt), entered.map(pointAt))
  const back = await findReorgPath(chain.network, { from: way.to, to: way.from }, 100, signal)
  assert.deepEqual([back.left.length, back.entered.length], [4, 2])
  const stay = await findReorgPath(chain.network, { from: way.to, to: way.to }, 0, signal)
  assert.deepEqual([stay.left, stay.entered], [[], []])
})

test('a path that is too long, or starts at an unknown block, is refused', async () => {
  const chain = createForkedChain()
  const line = grow(chain, chain.genesis, 5)
  const way = { from: pointAt(chain.genesis), to: pointAt(line[4] as ProvedHeader) }
  assert.equal((await findReorgPath(chain.network, way, 5, signal)).entered.length, 5)
  await assert.rejects(findReorgPath(chain.network, way, 4, signal), { code: 'over_range' })
  const stranger = { hash: new Uint8Array(32).fill(0xab), number: 0n }
  const lost = findReorgPath(chain.network, { from: stranger, to: way.to }, 100, signal)
  await assert.rejects(lost, { code: 'unknown_block' })
})

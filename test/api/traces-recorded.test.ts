// debug_trace… compared with go-ethereum 1.17.5: its replies for the 249 transactions of the chain of the vectors, as one digest
// per tracer.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { TracerChoice } from '../../src/chain/computation.ts'
import { toHex } from '../../src/base/hex.ts'
import { openRecordedEngine } from '../fakes/upstream/recorded-engine.ts'
import { missingVectors } from '../fakes/chain-vectors.ts'

const struct = {
  kind: 'struct',
  disableStorage: false,
  disableStack: false,
  enableMemory: true,
  enableReturnData: true,
  limit: 0,
} as const
const prestate = {
  kind: 'prestate',
  diffMode: false,
  disableCode: false,
  disableStorage: false,
  includeEmpty: false,
} as const

/** sha256 of the traces of blocks 1 to 54, with the members of each object in alphabetical order. */
const recorded: readonly (readonly [name: string, tracer: TracerChoice, digest: string])[] = [
  [
    'calls with logs',
    { kind: 'call', onlyTopCall: false, withLog: true },
    'ad5bd3761ec6cd4061e7eb6a13f7f93641e15d44dc5457e454bb9f2b18be91b5',
  ],
  [
    'states before with empty accounts',
    { ...prestate, includeEmpty: true },
    '8b70a0f228b153bbfd937aa285a46d709d088b7adfac9fe4bc940867ef8d525a',
  ],
  [
    'changes of state',
    { ...prestate, diffMode: true },
    '744c53f5d20052f6e0a2d17ed5be66b541042c6d5afaf0d004d5a0fe70252c96',
  ],
  ['instructions', struct, '99b2d967877c963439c4db59567298771524c77f844a8fd557455ceb85b1f795'],
  [
    'selectors',
    { kind: '4byte' },
    '7e1cf89eeb3f950a06907cae0f1848f321d5c5abea829f49e4baccf6ad80fc39',
  ],
]

test('traces equal those of go-ethereum', { skip: missingVectors }, async (t) => {
  const { run, hashOf, head } = await openRecordedEngine(t)
  for (const [name, tracer, digest] of recorded) {
    const hash = createHash('sha256')
    for (let number = 1n; number <= head; number += 1n) {
      const blockHash = hashOf(number) ?? assert.fail()
      const traces = await run({ kind: 'trace-block', block: blockHash, index: null, tracer })
      for (const one of traces as readonly { hash: Uint8Array; result: unknown }[]) {
        hash.update(JSON.stringify(inOrder({ txHash: toHex(one.hash), result: one.result })))
      }
    }
    assert.equal(hash.digest('hex'), digest, name)
  }
})

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, member]) => [name, inOrder(member)]))
}

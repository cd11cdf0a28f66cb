import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { obtainEmbedded } from './embedded-content.ts'

const never = new AbortController().signal
const [known, unknown] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const index = { has: (hash: Uint8Array) => hash[0] === 1 }

test('missing content of an embedded chain is damaged, but for the header of a block that it does not have', async () => {
  const obtain = obtainEmbedded(() => Promise.reject(new Fault('not_found')), index)
  await assert.rejects(obtain({ kind: 'header', hash: known }, {}, never), { code: 'damaged' })
  await assert.rejects(obtain({ kind: 'header', hash: unknown }, {}, never), { code: 'not_found' })
  for (const kind of ['transactions', 'receipts', 'trie-node', 'code'] as const) {
    await assert.rejects(obtain({ kind, hash: unknown }, {}, never), { code: 'damaged' })
  }
  const other = obtainEmbedded(() => Promise.reject(new Fault('deadline')), index)
  await assert.rejects(other({ kind: 'header', hash: known }, {}, never), { code: 'deadline' })
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { encodeRlp } from '../codec/ethereum/rlp.ts'
import { countBlocks } from './count-blocks.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-count-'))
after(() => rmSync(folder, { recursive: true }))

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

test('blocks of all lengths are counted without reading them', async () => {
  const blocks = [0, 54, 55, 56, 255, 256, 70_000].map((length) =>
    encodeRlp([new Uint8Array(length)]),
  )
  assert.equal(await countBlocks(file('whole', Buffer.concat(blocks))), blocks.length)
  assert.equal(await countBlocks(file('none', new Uint8Array())), 0)
})

test('a file that is cut off, holds something else or is not there gives no number', async () => {
  const block = encodeRlp([new Uint8Array(300)])
  assert.equal(await countBlocks(file('cut', block.subarray(0, -1))), null)
  assert.equal(await countBlocks(file('text', Buffer.from('hello'))), null)
  assert.equal(await countBlocks(file('huge', new Uint8Array(9).fill(0xff))), null)
  assert.equal(await countBlocks(join(folder, 'absent')), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { cidOf, dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { multihashOf } from '../../codec/ipld/multihash.ts'
import { createBlockSink } from './block-sink.ts'
import { type Built, noMetadata } from './built.ts'
import { createFolderMemory, linkBytes, linkOf, packChild } from './folder-memory.ts'
import { createImportTree } from './import-tree.ts'

const options = {
  cidVersion: 1,
  sharding: { estimate: 'links', bytes: 262_144, linksMax: 0, fanout: 256 },
  emptyDirs: true,
} as const
const plain = { hash: 'sha2-256', inline: false, inlineLimit: 0 }

function fileOf(text: string): Built {
  const bytes = Buffer.from(text)
  const size = BigInt(bytes.length)
  return { cid: cidOf(1, rawCodec, multihashOf('sha2-256', bytes)), size, bytes: size }
}

function treeWithin(bytesMax: number) {
  return createImportTree(noMetadata, noMetadata, createFolderMemory(bytesMax))
}

test('an entry is packed without loss, whatever its size and CID', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.uint8Array({ maxLength: 40 }),
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      fc.constantFrom('sha2-256', 'identity', 'sha3-512'),
      (name, bytes, size, hash) => {
        const cid = cidOf(1, dagPbCodec, multihashOf(hash, bytes))
        const child = { name, packed: packChild({ cid, size, bytes: 0n }) }
        const link = linkOf(child)
        assert.deepEqual(
          { ...link, cid: Uint8Array.from(link.cid) },
          { name, size, cid: Uint8Array.from(cid.bytes) },
        )
        assert.equal(linkBytes(child), Buffer.byteLength(name) + cid.bytes.length)
      },
    ),
  )
})

test('a file of a folder in the making takes 250 bytes of memory at most', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapUsed = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const tree = treeWithin(134_217_728)
  const files = 40_000
  const before = heapUsed()
  for (let file = 0; file < files; file += 1) {
    // As in a multipart request: the name is a short substring of a part's headers.
    const head = `form-data; name="file"; filename="d/folder-of-many/file-${file}.bytes"; ${'x'.repeat(100)}`
    const [, path = ''] = /filename="([^"]*)"/.exec(head) ?? []
    tree.add(path.split('/'), fileOf(path))
  }
  const each = (heapUsed() - before) / files
  assert.ok(each < 250, `${each} bytes a file`)
  assert.throws(() => tree.add(['d'], fileOf('a')), /already has entry/)
})

test('folders take as much memory as they may, however many files that is, and no more', () => {
  const tree = treeWithin(1_000_000)
  let files = 0
  assert.throws(
    () => {
      for (; files < 10_000; files += 1) tree.add([`file-${files}`], fileOf('a'))
    },
    { code: 'too_large', message: /more than 1000000 bytes of memory \(files\.folderBytesMax\)/ },
  )
  assert.ok(files > 5000 && files < 6500, String(files))
  // A deep path creates a folder for each segment, and the reply contains the full path of each.
  const deep = treeWithin(1_000_000)
  let paths = 0
  assert.throws(
    () => {
      for (; paths < 100; paths += 1) {
        deep.directory([String(paths), ...Array<string>(1000).fill('a')], noMetadata)
      }
    },
    { code: 'too_large' },
  )
  assert.equal(paths, 0)
})

test('a path of 1024 segments is built, each folder after those inside it', async () => {
  const tree = treeWithin(16_777_216)
  const deep = Array<string>(1024).fill('a')
  tree.add([...deep, 'file'], fileOf('deep'))
  tree.directory(['b'], noMetadata)
  const named: number[] = []
  for await (const { path } of tree.build(options, 0, createBlockSink(plain, 10_000, null))) {
    named.push(path.length)
  }
  assert.deepEqual(named, [...Array.from({ length: 1024 }, (_, at) => 1024 - at), 1, 0])
  assert.throws(() => tree.directory([...deep, 'a'], noMetadata), {
    message: 'path is deeper than 1024 segments',
  })
})

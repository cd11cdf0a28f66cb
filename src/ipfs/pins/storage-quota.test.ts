// Storage quotas on rows: checked at the commit, against the account's storage after it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type CarBlock, writeCar } from '../../codec/ipld/car-writer.ts'
import { cidOf, dagCborCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { encodeDagCbor } from '../../codec/ipld/dag-cbor-writer.ts'
import { encodeMultihash, multihashOf } from '../../codec/ipld/multihash.ts'
import {
  atOnce,
  createFilesFixture,
  fileEntry,
  importAll,
  never,
  rootOf,
  streamOf,
  pinsOf,
} from '../../../test/fakes/files/files-fixture.ts'

const refused = { code: 'over_quota', message: 'not allowed - storage quota reached' }

function fixture(t: TestContext, filesStoredBytes: number | null) {
  const made = createFilesFixture(t)
  const limit = (bytes: number | null): void => {
    const settings = JSON.stringify({ filesStoredBytes: bytes })
    made.database.run(`UPDATE account SET settings = ? WHERE id = 'alice'`, [settings])
  }
  limit(filesStoredBytes)
  return { ...made, limit }
}

test('what would be more than the quota leaves nothing, and what fits to the byte is kept', async (t) => {
  const { files, limit } = fixture(t, 10)
  await assert.rejects(importAll(files, [fileEntry('f', 'eleven bytes')]), refused)
  assert.deepEqual(await files.stored('alice'), { blocks: 0, bytes: 0 })
  assert.deepEqual(await pinsOf(files, 'alice'), [])
  limit(20)
  await importAll(files, [fileEntry('f', 'eleven bytes')])
  assert.equal((await files.stored('alice')).bytes, 20)
  await assert.rejects(importAll(files, [fileEntry('g', 'x')]), refused)
})

test('who has more than the quota already can do what does not make it more', async (t) => {
  const { files, limit } = fixture(t, null)
  const { cid } = rootOf(await importAll(files, [fileEntry('f', 'some bytes')]))
  limit(0)
  await importAll(files, [fileEntry('f', 'some bytes')])
  const again = { cid: cid.toV1(), mode: 'recursive', name: 'again' } as const
  await files.pin('alice', again, atOnce, () => {}, never)
  await files.unpin('alice', cid, true)
  await files.unpin('alice', cid.toV1(), true)
  assert.equal((await files.stored('alice')).bytes, 0)
  await assert.rejects(importAll(files, [fileEntry('f', 'some bytes')]), refused)
})

test('the quota of one account is nothing to another', async (t) => {
  const { files } = fixture(t, 0)
  const { cid } = rootOf(await importAll(files, [fileEntry('f', 'bytes')], {}, 'bob'))
  const pin = { cid, mode: 'recursive', name: '' } as const
  await assert.rejects(
    files.pin('alice', pin, atOnce, () => {}, never),
    refused,
  )
  assert.equal((await files.stored('bob')).bytes, 13)
})

test('a CAR that does not fit leaves nothing; a root over blocks of others that do not is not pinned', async (t) => {
  const { files, limit } = fixture(t, 20)
  const blockOf = (codec: number, block: Uint8Array): CarBlock => ({
    cid: cidOf(1, codec, multihashOf('sha2-256', block)),
    block,
  })
  const large = blockOf(rawCodec, Buffer.alloc(1000))
  const top = blockOf(dagCborCodec, encodeDagCbor([large.cid]))
  const load = async (blocks: readonly CarBlock[], accountId: string) =>
    await Array.fromAsync(
      files.importCars(
        streamOf([writeCar([top.cid], streamOf(blocks))]),
        { pinRoots: true, blockBytesMax: 2000, tooBig: '' },
        { accountId, proceed: () => true, signal: never },
      ),
    )
  await assert.rejects(load([top, large], 'alice'), refused)
  assert.deepEqual(await files.stored('alice'), { blocks: 0, bytes: 0 })
  limit(100)
  await load([top, large], 'bob')
  const [root] = await load([top], 'alice')
  assert.deepEqual(root?.kind === 'root' && root.error, refused.message)
  assert.deepEqual(await files.stored('alice'), { blocks: 1, bytes: top.block.length })
  assert.deepEqual(await pinsOf(files, 'alice'), [])
})

test('the CID of a pin that contains its block counts, because nothing else of it is stored', async (t) => {
  const { files, limit } = fixture(t, 12)
  const inline = (text: string) => cidOf(1, rawCodec, encodeMultihash(0, Buffer.from(text)))
  const pin = (text: string) =>
    files.pin('alice', { cid: inline(text), mode: 'recursive', name: '' }, atOnce, () => {}, never)
  await pin('ten bytes.')
  await pin('ten bytes.')
  assert.deepEqual(await files.stored('alice'), { blocks: 0, bytes: 12 })
  await assert.rejects(pin(''), refused)
  assert.deepEqual(await files.stored('alice'), { blocks: 0, bytes: 12 })
  limit(14)
  await pin('')
  await files.unpin('alice', inline('ten bytes.'), true)
  assert.deepEqual(await files.stored('alice'), { blocks: 0, bytes: 2 })
})

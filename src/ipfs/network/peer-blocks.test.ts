import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { readdirSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/started-server.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { sha256Name } from '../../codec/ipld/multihash.ts'
import { createSystemFiles } from '../../content/system-files.ts'
import { createSegmentStore } from '../../content/segments/segment-store.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { startThreadWriter } from '../../db/thread-writer.ts'
import { openPeerBlocks } from './peer-blocks.ts'

async function open(t: TestContext) {
  const folder = await temporaryFolder()
  const databasePath = join(folder, 'cairn.db')
  const storePath = join(folder, 'store')
  const writer = await startThreadWriter({ path: databasePath })
  const db = openDatabase(databasePath, { readOnly: true })
  const store = createSegmentStore({
    db,
    writer,
    ops: createSystemFiles(),
    path: storePath,
    clock: systemClock,
    log: silentLog,
  })
  const isPublic = new Set<string>()
  const blocks = openPeerBlocks({
    databasePath,
    storePath,
    isPublic: (_db, multihash) => isPublic.has(Buffer.from(multihash).toString('hex')),
  })
  t.after(async () => {
    await blocks.close()
    await store.close()
    db.close()
    await writer.close()
    await rm(folder, { recursive: true, force: true })
  })
  async function add(text: string): Promise<Uint8Array> {
    const bytes = Buffer.from(text)
    const hash = sha256Name(bytes)
    await store.put([{ ref: { kind: 'dag-block', hash }, bytes }], [])
    isPublic.add(Buffer.from(hash).toString('hex'))
    return hash
  }
  return { blocks, store, add, storePath }
}

test('a public block of another thread is found and read', async (t) => {
  const { blocks, store, add } = await open(t)
  const hash = await add('a block')
  await store.close()
  assert.equal(blocks.isPublic(hash), true)
  assert.equal(blocks.sizeOf(hash), 7)
  assert.equal(Buffer.from(blocks.read(hash) ?? []).toString(), 'a block')
})

test('an absent block, an identity CID and bytes that are no multihash are not public', async (t) => {
  const { blocks } = await open(t)
  assert.equal(blocks.isPublic(sha256Name(Buffer.from('absent'))), false)
  assert.equal(blocks.isPublic(Uint8Array.of(0, 1, 65)), false)
  assert.equal(blocks.isPublic(Uint8Array.of(1, 2, 3)), false)
  assert.equal(blocks.read(sha256Name(Buffer.from('absent'))), null)
})

test('a block whose segment is damaged or gone is not given', async (t) => {
  const { blocks, store, add, storePath } = await open(t)
  const hash = await add('a block that is lost')
  await store.close()
  const [log = ''] = readdirSync(join(storePath, 'log'))
  await truncate(join(storePath, 'log', log), 20)
  assert.equal(blocks.read(hash), null)
  await rm(join(storePath, 'log', log))
  await blocks.closeFiles()
  assert.equal(blocks.read(hash), null)
})

// Folders as object stores; test/files/s3-objects.test.ts runs the same suite on a bucket.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { objectStoreSuite } from '../../../test/suites/object-store.suite.ts'
import { createFolderObjects } from './folder-objects.ts'

objectStoreSuite('a folder', async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'cairn-objects-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return createFolderObjects(path)
})

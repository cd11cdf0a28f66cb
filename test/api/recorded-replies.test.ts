// Kubo's replies at /api/v0, recorded by `npm run record`, against Cairn: the same requests in the same order on one account.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFilesServer } from '../fakes/files/files-server.ts'
import { type RecordedReplies, sendFilesRequest } from '../fakes/upstream/recorded-request.ts'

const path = join(import.meta.dirname, '../recorded/files/replies.json')
const { replies } = JSON.parse(readFileSync(path, 'utf8')) as RecordedReplies

/** Cairn's replies that differ, each with the difference. */
const otherwise: ReadonlyMap<string, string> = new Map([
  ['add-link', 'Kubo adds the mode of the link'],
  ['block-get', 'Cairn also gives the length of the block'],
  ['dag-put-bad', 'Kubo answers 200 with nothing, and its error in a trailer'],
  ['dag-get-no-field', 'Kubo has another text for a field of a node than for an entry of a folder'],
  ['dag-import-bad', 'Cairn names the import before the error'],
])

test('Cairn gives the replies of Kubo', async (t) => {
  const server = await startFilesServer(t)
  const { key, secret } = server.newAccount()
  const headers = { authorization: `Basic ${btoa(`${key}:${secret}`)}` }
  for (const { name, request, reply } of replies) {
    const got = await sendFilesRequest(server.url, request, headers)
    if (otherwise.has(name)) {
      assert.notDeepEqual(got, reply, `${name} is answered alike: remove it from the list`)
      continue
    }
    await t.test(name, () => assert.deepEqual(got, reply))
  }
})

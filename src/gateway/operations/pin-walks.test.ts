// Promises of pin/verify and repo/stat: the caller's own pins, each block once, losses named.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../test/fakes/file-commands.ts'
import { fileEntry } from '../../../test/fakes/files-fixture.ts'
import { kuboLine } from '../../http/kubo-json.ts'

type Line = { readonly Hash: string; readonly Size: string }

test('repo/stat counts the blocks of the own pins once, whatever pins them', async (t) => {
  const { add, lines, value, run, files } = createFileCommands(t)
  const stat = async (account = 'alice') => {
    const all = (await value('repo/stat', [], {}, null, files, account)) as Record<string, unknown>
    return [all['NumObjects'], all['RepoSize']]
  }
  assert.deepEqual(await stat(), [0, 0])
  const file = await add('a', 'abc')
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a', 'abc'),
  ])) as Line[]
  const root = all.at(-1)
  assert.deepEqual(await stat(), [2, Number(root?.Size ?? 0)])
  // The same block under its other name, and directly.
  await run('pin/add', [CID.parse(file).toV1().toString()], { recursive: false })
  assert.deepEqual(await stat(), [2, Number(root?.Size ?? 0)])
  assert.deepEqual(await stat('bob'), [0, 0])
  await run('pin/rm', [root?.Hash ?? ''])
  await run('pin/rm', [file])
  assert.equal((await stat())[0], 1)
  const line =
    '{"RepoSize":11,"StorageMax":18446744073709551615,"NumObjects":1,"RepoPath":"","Version":"fs-repo@18"}\n'
  assert.equal(kuboLine(await value('repo/stat')), line)
})

test('pin/verify names what is lost below which pin, and whole pins when asked', async (t) => {
  const { lines, add, store, files } = createFileCommands(t)
  const whole = await add('a', 'abc')
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('b', 'bcd'),
  ])) as Line[]
  const [lost, root] = all.map(({ Hash }) => Hash) as [string, string]
  const verbose = { verbose: true }
  const ok = [
    { Cid: whole, Ok: true },
    { Cid: root, Ok: true },
  ]
  const byCid = (list: readonly unknown[]) =>
    (list as { Cid: string }[]).toSorted((a, b) => (a.Cid < b.Cid ? -1 : 1))
  assert.deepEqual(await lines('pin/verify'), [])
  assert.deepEqual(byCid(await lines('pin/verify', [], verbose)), byCid(ok))
  await store.drop({ kind: 'dag-block', hash: CID.parse(lost).multihash.bytes })
  const bad = {
    Cid: root,
    BadNodes: [
      { Cid: lost, Err: `block was not found locally (offline): ipld: could not find ${lost}` },
    ],
  }
  assert.deepEqual(await lines('pin/verify'), [bad])
  assert.deepEqual(byCid(await lines('pin/verify', [], verbose)), byCid([bad, ok[0]]))
  assert.deepEqual(await lines('pin/verify', [], verbose, null, files, 'bob'), [])
  await assert.rejects(lines('pin/verify', [], { verbose: true, quiet: true }), {
    message: 'the --verbose and --quiet options can not be used at the same time',
  })
})

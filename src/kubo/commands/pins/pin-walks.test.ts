// Promises of pin/verify and repo/stat: the caller's own pins, each block once, missing blocks listed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { dropBlock } from '../../../../test/fakes/upstream/drop-block.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'
import { kuboLine } from '../../../codec/go-json.ts'

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
  // The same block under its other CID, pinned directly.
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
  const commands = createFileCommands(t)
  const { lines, add, files } = commands
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
  await dropBlock(commands, CID.parse(lost).multihash.bytes)
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

/** Pins a dag-json node that links to these CIDs. */
async function pinnedNode(
  { lines, value }: ReturnType<typeof createFileCommands>,
  ...links: string[]
) {
  const text = JSON.stringify(links.map((link) => ({ '/': link })))
  const [put] = (await lines('dag/put', [], {}, [fileEntry('x', text)])) as {
    Cid: { '/': string }
  }[]
  const root = put?.Cid['/'] ?? assert.fail()
  await value('pin/add', [root])
  return root
}

test('pin/ls lists blocks below pins under every CID that links to them', async (t) => {
  const commands = createFileCommands(t)
  const { add, run, value } = commands
  const old = await add('a', 'abc', { pin: false })
  const cid = CID.parse(old).toV1()
  const [raw, lifted] = [CID.createV1(0x55, cid.multihash).toString(), cid.toString()]
  const list = async (args: string[] = [], options = {}) => {
    const { Keys } = (await value('pin/ls', args, options)) as {
      Keys: Record<string, { Type: string }>
    }
    return Object.fromEntries(Object.entries(Keys).map(([key, { Type }]) => [key, Type]))
  }
  const [one, two] = [await pinnedNode(commands, old), await pinnedNode(commands, lifted, raw)]
  const both = { [old]: 'indirect', [lifted]: 'indirect', [raw]: 'indirect' }
  assert.deepEqual(await list([], { type: 'indirect' }), both)
  assert.deepEqual(await list(), { ...both, [one]: 'recursive', [two]: 'recursive' })
  assert.deepEqual(await list([old]), { [old]: `indirect through ${one}` })
  assert.deepEqual(await list([lifted]), { [lifted]: `indirect through ${two}` })
  assert.deepEqual(await list([raw, old]), {
    [raw]: `indirect through ${two}`,
    [old]: `indirect through ${one}`,
  })
  // Both in one DAG.
  await run('pin/rm', [one])
  await run('pin/rm', [two])
  const three = await pinnedNode(commands, lifted, old, raw, old)
  assert.deepEqual(await list([], { type: 'indirect' }), both)
  assert.deepEqual(await list([old, lifted]), {
    [old]: `indirect through ${three}`,
    [lifted]: `indirect through ${three}`,
  })
})

test('a CID pinned directly below a recursive pin is listed as either type, as requested', async (t) => {
  const commands = createFileCommands(t)
  const { add, run, value } = commands
  const file = await add('a', 'abc', { pin: false })
  const root = await pinnedNode(commands, file)
  await run('pin/add', [file], { recursive: false })
  const type = async (options = {}) => {
    const { Keys } = (await value('pin/ls', [file], options)) as { Keys: Record<string, object> }
    return Keys[file]
  }
  assert.deepEqual(await type(), { Type: 'direct', Name: '' })
  assert.deepEqual(await type({ type: 'direct' }), { Type: 'direct', Name: '' })
  const indirect = { type: 'indirect' }
  assert.deepEqual(await type(indirect), { Type: `indirect through ${root}`, Name: '' })
  assert.deepEqual(await value('pin/ls', [], indirect), {})
  // As in Kubo, a recursive pin has no other type.
  await run('pin/add', [file])
  await assert.rejects(type(indirect), { message: `path '${file}' is not pinned` })
})

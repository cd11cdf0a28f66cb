// The commands on file trees: CIDs and replies that Kubo 0.43 gave. test/files/mfs-kubo.test.ts compares many more, where Kubo
// is installed.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'

function createTree(t: TestContext) {
  const commands = createFileCommands(t)
  const write = (path: string, content: string, options = {}) =>
    commands.lines('files/write', [path], options, [fileEntry('data', content)])
  const stat = (path: string) => commands.value('files/stat', [path]) as Promise<{ Hash: string }>
  return { ...commands, write, stat }
}

const made = { create: true, parents: true }

test('changes of a tree give the CIDs of Kubo, and no line', async (t) => {
  const { write, stat, lines, value, bytes } = createTree(t)
  assert.deepEqual(await value('files/ls'), { Entries: null })
  assert.deepEqual(await write('/a/f', 'hello', made), [])
  assert.deepEqual(await stat('/'), {
    Hash: 'QmRTm3EeRhCFudZimBfvWoip8h9XKHbXo79stAq2bx1Fn8',
    Size: 0n,
    CumulativeSize: 157n,
    Blocks: 1,
    Type: 'directory',
  })
  await write('/a/f', 'XY', { offset: 3n })
  assert.equal((await stat('/a/f')).Hash, 'QmdRqT64M3aZvAj4VieP8ztjzvSKVi33xpjBBexEiJRMoS')
  assert.equal(String(await bytes('files/read', ['/a/f'])), 'helXY')
  assert.equal(String(await bytes('files/read', ['/a/f'], { offset: 1n, count: 2n })), 'el')
  await write('/v1', 'hello', { create: true, 'cid-version': 1n })
  assert.deepEqual(await lines('files/mkdir', ['/m'], { 'cid-version': 1n }), [])
  assert.deepEqual(await lines('files/mv', ['/v1', '/m/']), [])
  assert.deepEqual(await lines('files/chmod', ['0644', '/m/v1']), [])
  assert.deepEqual(await lines('files/touch', ['/m'], { mtime: 1_630_937_926n }), [])
  assert.equal(
    (await stat('/m')).Hash,
    'bafybeihz6dmyejmr6pmpqtyy7ixb2mfureza3w6bluh455xcsddyaho56i',
  )
  assert.deepEqual(await value('files/flush'), {
    Cid: 'QmaQCiAc1nkDAbniLcznqfWdnisAQrbu6Dy7UwyzqwVwh6',
  })
})

test('a tree lists its entries, long with kind, size and CID', async (t) => {
  const { run, write, value, stat } = createTree(t)
  await write('/f', 'hello', made)
  await run('files/mkdir', ['/d'])
  const short = { Type: 0, Size: 0n, Hash: '' }
  assert.deepEqual(await value('files/ls'), {
    Entries: [
      { Name: 'd', ...short },
      { Name: 'f', ...short },
    ],
  })
  const long = await run('files/ls', ['/'], { long: true })
  assert.ok(long.kind === 'object' && long.text !== undefined)
  const empty = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  const { Entries } = long.value as { Entries: { Hash: string; Size: bigint }[] }
  assert.deepEqual(
    Entries.map(({ Hash, Size }) => [Hash, Size]),
    [
      [empty, 0n],
      [(await stat('/f')).Hash, 5n],
    ],
  )
  assert.match(long.text(long.value), /^d\/\tQmUNLLs\S+\t0\nf\tQm\S+\t5\n$/)
})

test('what a command cannot do is an error with the text of Kubo', async (t) => {
  const { run, write } = createTree(t)
  await write('/f', 'hello', made)
  await run('files/mkdir', ['/d'])
  const refused: readonly (readonly [string, readonly string[], string])[] = [
    ['files/mkdir', ['x'], 'paths must start with a leading slash'],
    ['files/mkdir', ['/d'], 'file already exists'],
    ['files/mkdir', ['/n/x'], 'file does not exist'],
    [
      'files/cp',
      ['/f', '/d'],
      'cp: cannot put node in path /d: directory already has entry by that name',
    ],
    ['files/cp', ['/n', '/x'], 'cp: cannot get node from path /n: file does not exist'],
    ['files/mv', ['/n', '/x'], 'file does not exist'],
    ['files/mv', ['/d', '/d/x'], 'cannot move /d into itself'],
    [
      'files/rm',
      ['/n', '/d'],
      '/n: file does not exist\n/d: path is a directory, use -r to remove directories',
    ],
    ['files/read', ['/d'], '/d was not a file'],
    ['files/chcid', ['/f'], ''],
    ['files/chcid', ['d'], 'file does not exist'],
    ['files/chmod', ['9', '/f'], 'strconv.ParseInt: parsing "9": invalid syntax'],
    ['files/touch', ['/n'], 'file does not exist'],
    ['files/stat', ['/n'], 'file does not exist'],
  ]
  for (const [name, args, message] of refused) {
    if (message === '') await run(name, args)
    else await assert.rejects(run(name, args), { code: 'command_failed', message }, name)
  }
  for (const root of ['/', '//', '/d/..']) {
    const change = run('files/chcid', [root], { 'cid-version': 1n })
    await assert.rejects(change, { message: /^cannot change CID format of the MFS root/ })
  }
})

test('a file that `add` made of one chunk keeps its bytes when it grows and is overwritten', async (t) => {
  const { run, add, write, bytes } = createTree(t)
  await run('files/cp', [`/ipfs/${await add('f', 'hello')}`, '/f'])
  await write('/f', ' world', { offset: 5n })
  await write('/f', 'J', {})
  assert.equal(String(await bytes('files/read', ['/f'])), 'Jello world')
  await write('/f', 'new', { truncate: true })
  assert.equal(String(await bytes('files/read', ['/f'])), 'new')
})

test('a write far behind the end of a file is refused before its gap is filled', async (t) => {
  const { write, run, bytes } = createTree(t)
  await write('/f', 'hello', made)
  const message =
    /^offset 9223372036854775807 is more than 1073741824 bytes behind the end of the file \(5\)$/
  await assert.rejects(write('/f', 'x', { offset: 9223372036854775807n }), {
    code: 'command_failed',
    message,
  })
  await run('files/stat', ['/f'])
  assert.equal(String(await bytes('files/read', ['/f'])), 'hello')
})

test('`add` links what it added into the tree', async (t) => {
  const { lines, value } = createTree(t)
  const added = await lines('add', [], { 'to-files': '/' }, [
    fileEntry('a', 'a'),
    fileEntry('b', 'b'),
  ])
  assert.equal(added.length, 2)
  const { Entries } = (await value('files/ls')) as { Entries: { Name: string }[] }
  assert.deepEqual(
    Entries.map(({ Name }) => Name),
    ['a', 'b'],
  )
  await assert.rejects(lines('add', [], { 'to-files': '/' }, [fileEntry('', 'a')]), {
    message: 'to-files: cannot add unnamed files to MFS',
  })
})

test('the root of a tree cannot become a file: a write to it changes nothing', async (t) => {
  const { write, stat } = createTree(t)
  await write('/d/f', 'hello', made)
  const { Hash } = await stat('/')
  for (const path of ['/', '//', '/d/..']) {
    for (const options of [made, { create: true, truncate: true }, {}]) {
      await assert.rejects(write(path, 'lost', options), { message: '/ was not a file' })
    }
  }
  assert.equal((await stat('/')).Hash, Hash)
})

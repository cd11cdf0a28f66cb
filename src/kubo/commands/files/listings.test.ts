// Promises of ls, refs and files/stat on a real store, and the limits of the walks below them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { dropBlock } from '../../../../test/fakes/upstream/drop-block.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import { cidOf, dagPbCodec, rawCodec } from '../../../codec/ipld/cid.ts'
import { decodeDagNode, encodeDagNode } from '../../../codec/ipld/dag-pb.ts'
import { multihashOf } from '../../../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../../codec/ipld/unixfs.ts'

type Commands = ReturnType<typeof createFileCommands>
type Line = { readonly Name: string; readonly Hash: string; readonly Size: string }

const tree = (): UploadEntry[] => [
  { ...fileEntry('r/z.txt', 'abc'), mode: 0o600, mtime: { seconds: 5n, nanos: 250_000_000 } },
  fileEntry('r/d/inner', 'abc'),
  { kind: 'symlink', path: 'r/link', target: 'z.txt' },
]

async function addTree({ lines }: Commands, options = {}) {
  const all = (await lines(
    'add',
    [],
    { 'preserve-mode': true, 'preserve-mtime': true, ...options },
    tree(),
  )) as Line[]
  return Object.fromEntries(all.map(({ Name, Hash }) => [Name, Hash])) as Record<string, string>
}

test('ls tells what each entry is, by name, under the argument as it was given', async (t) => {
  const commands = createFileCommands(t)
  const { value, lines } = commands
  const cids = await addTree(commands)
  const path = `/ipfs/${cids['r']}`
  const unset = { Target: '', Mode: 0, ModTime: '0001-01-01T00:00:00Z' }
  const links = [
    { Name: 'd', Hash: cids['r/d'], Size: 0n, Type: 1, ...unset },
    { Name: 'link', Hash: cids['r/link'], Size: 5n, Type: 4, ...unset, Target: 'z.txt' },
    {
      Name: 'z.txt',
      Hash: cids['r/z.txt'],
      Size: 3n,
      Type: 2,
      Target: '',
      Mode: 0o600,
      ModTime: '1970-01-01T00:00:05.25Z',
    },
  ]
  assert.deepEqual(await value('ls', [path]), { Objects: [{ Hash: path, Links: links }] })
  assert.deepEqual(
    await lines('ls', [path], { stream: true }),
    links.map((link) => ({ Objects: [{ Hash: path, Links: [link] }] })),
  )
  const unresolved = { 'resolve-type': false, size: false }
  const { Objects } = (await value('ls', [path], unresolved)) as { Objects: { Links: Line[] }[] }
  assert.deepEqual(Objects[0]?.Links[0], { ...links[0], Size: 0, Type: 0 })
})

test('ls of a file lists its chunks; of a single block, nothing', async (t) => {
  const { add, value } = createFileCommands(t)
  const small = await add('a', 'abc')
  assert.deepEqual(await value('ls', [small]), { Objects: [{ Hash: small, Links: [] }] })
  const large = await add('b', 'x'.repeat(300_000), { 'raw-leaves': true })
  const { Objects } = (await value('ls', [large])) as { Objects: { Links: Line[] }[] }
  assert.deepEqual(
    Objects[0]?.Links.map(({ Name, Size }) => [Name, Number(Size)]),
    [
      ['', 262_144],
      ['', 37_856],
    ],
  )
})

test('ls of a sharded directory gives every entry once, by name', async (t) => {
  const { lines, value, run } = createFileCommands(t)
  const names = Array.from({ length: 5000 }, (_, i) => `${'n'.repeat(50)}${i}`)
  const entries = names.map((name) => fileEntry(`s/${name}`, 'x'))
  const root = ((await lines('add', [], {}, entries)) as Line[]).at(-1)?.Hash ?? ''
  const { Objects } = (await value('ls', [root])) as { Objects: { Links: Line[] }[] }
  assert.deepEqual(
    Objects[0]?.Links.map(({ Name }) => Name),
    names.toSorted(),
  )
  assert.equal((await run('files/stat', [`/ipfs/${root}`])).kind, 'object')
})

test('a shard whose names are not where their hashes say is refused', async (t) => {
  const { lines, value, files, store } = createFileCommands(t)
  const entries = Array.from({ length: 4000 }, (_, i) => fileEntry(`s/${'n'.repeat(60)}${i}`, 'x'))
  const root = ((await lines('add', [], {}, entries)) as Line[]).at(-1)?.Hash ?? ''
  const patience = { offline: true, timeoutMs: null }
  const block = await files.block(CID.parse(root), patience, new AbortController().signal)
  const node = decodeDagNode(block)
  const changed = async (names: (name: string, index: number) => string) => {
    const links = node.links.map((link, i) => ({ ...link, name: names(link.name, i) }))
    const bytes = encodeDagNode({ ...node, links })
    const cid = cidOf(1, dagPbCodec, multihashOf('sha2-256', bytes))
    await store.put([{ ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes }])
    return value('ls', [cid.toString()])
  }
  await assert.rejects(
    changed((name, i) => (i === 0 ? `${name}x` : name)),
    /not its own/,
  )
  await assert.rejects(
    changed((name, i) => (i === 1 ? '00' : name)),
    /slot out of place/,
  )
  await assert.rejects(
    changed((name, i) => (i === 0 ? 'zz' : name)),
    /slot out of place/,
  )
})

test('refs tells links in the asked form, to the asked depth, and each once when asked', async (t) => {
  const commands = createFileCommands(t)
  const { lines } = commands
  const same: UploadEntry[] = [fileEntry('r/a/x', 'abc'), fileEntry('r/b/x', 'abc')]
  const all = (await lines('add', [], {}, same)) as Line[]
  const cid = Object.fromEntries(all.map(({ Name, Hash }) => [Name, Hash])) as Record<
    string,
    string
  >
  const root = cid['r'] ?? ''
  const refs = async (options: Record<string, boolean | bigint | string>) =>
    ((await lines('refs', [root], options)) as { Ref: string; Err: string }[]).map(
      ({ Ref, Err }) => {
        assert.equal(Err, '')
        return Ref
      },
    )
  const [dir, leaf] = [cid['r/a'], cid['r/a/x']]
  assert.deepEqual(await refs({}), [dir, dir])
  assert.deepEqual(await refs({ recursive: true }), [dir, leaf, dir, leaf])
  assert.deepEqual(await refs({ recursive: true, unique: true }), [dir, leaf])
  assert.deepEqual(await refs({ recursive: true, 'max-depth': 1n }), [dir, dir])
  assert.deepEqual(await refs({ recursive: true, 'max-depth': 0n }), [])
  assert.deepEqual(await refs({ edges: true, unique: true }), [`${root} -> ${dir}`])
  assert.deepEqual(await refs({ format: '<linkname>: <src>' }), [`a: ${root}`, `b: ${root}`])
  await assert.rejects(refs({ edges: true, format: '<src>' }), {
    message: 'using format argument with edges is not allowed',
  })
  const twice = await lines('refs', [root, root], { unique: true })
  assert.equal(twice.length, 1)
})

test('refs of a small DAG with endless paths ends at its bound', async (t) => {
  const { lines, store } = createFileCommands(t, { limits: { pinBlocksMax: 500 } })
  let at = CID.parse('bafkqaaa')
  for (let level = 0; level < 40; level += 1) {
    const link = { name: '', cid: at.bytes, size: 0n }
    const bytes = encodeDagNode({ links: [link, link], data: null })
    at = cidOf(1, dagPbCodec, multihashOf('sha2-256', bytes))
    await store.put([{ ref: { kind: 'dag-block', hash: at.multihash.bytes }, bytes }])
  }
  await assert.rejects(lines('refs', [at.toString()], { recursive: true }), /more than 500 links/)
  const once = await lines('refs', [at.toString()], { recursive: true, unique: true })
  assert.equal(once.length, 40)
})

test('files/stat tells size, kind and metadata of content paths', async (t) => {
  const commands = createFileCommands(t)
  const { value, add } = commands
  const cids = await addTree(commands)
  const stat = (path: string, options = {}) => value('files/stat', [path], options)
  assert.deepEqual(await stat(`/ipfs/${cids['r']}/z.txt`), {
    Hash: cids['r/z.txt'],
    Size: 3n,
    CumulativeSize: 23n,
    Blocks: 0,
    Type: 'file',
    Mode: '0600',
    Mtime: 5n,
    MtimeNsecs: 250_000_000,
  })
  const root = (await stat(`ipfs://${cids['r']}`, { 'with-local': true })) as Record<
    string,
    unknown
  >
  assert.deepEqual([root['Size'], root['Blocks'], root['Type']], [0n, 3, 'directory'])
  assert.deepEqual([root['WithLocality'], root['Local']], [true, true])
  assert.equal(root['SizeLocal'], root['CumulativeSize'])
  const raw = await add('raw', 'abc', { 'cid-version': 1n })
  assert.deepEqual(await stat(`/ipfs/${raw}`), {
    Hash: raw,
    Size: 3n,
    CumulativeSize: 3n,
    Blocks: 0,
    Type: 'file',
  })
  await dropBlock(commands, CID.parse(cids['r/d'] ?? '').multihash.bytes)
  const less = (await stat(`/ipfs/${cids['r']}`, { 'with-local': true })) as Record<string, unknown>
  assert.equal(less['Local'], undefined)
  assert.ok((less['SizeLocal'] as bigint) < (root['SizeLocal'] as bigint))

  await assert.rejects(stat(raw), { message: 'paths must start with a leading slash' })
  await assert.rejects(stat('/my/file'), { message: 'file does not exist' })
  assert.equal(((await stat('/')) as { Type: string }).Type, 'directory')
  // They format terminal output: over HTTP each has no effect, but two of them are refused.
  assert.equal(((await stat(`/ipfs/${raw}`, { size: true })) as { Hash: string }).Hash, raw)
  for (const two of [
    { hash: true, size: true },
    { format: '<hash>', size: true },
  ]) {
    await assert.rejects(stat(`/ipfs/${raw}`, two), {
      code: 'bad_params',
      message:
        'invalid parameters: format was set by multiple options. Only one format option is allowed',
    })
  }
})

test('wide blocks on a deep path are given up before their links fill the memory', async (t) => {
  const { store, lines, bytes } = createFileCommands(t)
  const empty = cidOf(1, rawCodec, multihashOf('identity', new Uint8Array(0))).bytes
  const wide = Array.from({ length: 70_000 }, () => ({ cid: empty, name: '', size: 0n }))
  async function ladder(type: 'directory' | 'file'): Promise<string> {
    const size = type === 'file' ? { fileSize: 1n, blockSizes: [1n, ...wide.map(() => 0n)] } : {}
    const data = encodeUnixfs({ type, ...size })
    const rest = encodeDagNode({ links: wide, data })
    let cid = cidOf(1, rawCodec, multihashOf('identity', Buffer.from('x')))
    for (let level = 0; level < 4; level += 1) {
      // Links are a repeated field: the same ones follow the first in every block.
      const first = encodeDagNode({ links: [{ cid: cid.bytes, name: 'a', size: 0n }], data: null })
      const block = Buffer.concat([first, rest])
      cid = cidOf(1, dagPbCodec, multihashOf('sha2-256', block))
      await store.put([{ ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes: block }])
    }
    return cid.toString()
  }
  const message = /too many links on one path/
  const folder = await ladder('directory')
  await assert.rejects(lines('refs', [folder], { recursive: true }), message)
  await assert.rejects(bytes('get', [folder]), message)
  await assert.rejects(bytes('cat', [await ladder('file')]), message)
})

test('unique refs of all levels follow each node once, however many paths lead to it', async (t) => {
  const { store, lines } = createFileCommands(t, { limits: { pinBlocksMax: 1000 } })
  let below: readonly CID[] = []
  for (let node = 0; node < 300; node += 1) {
    const links = below.map((cid) => ({ cid: cid.bytes, name: '', size: 0n }))
    const bytes = encodeDagNode({ links, data: Uint8Array.of(node >> 8, node & 0xff) })
    const cid = cidOf(1, dagPbCodec, multihashOf('sha2-256', bytes))
    await store.put([{ ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes }])
    below = [cid, ...below.slice(0, 2)]
  }
  const root = below[0]?.toString() ?? ''
  assert.equal((await lines('refs', [root], { recursive: true, unique: true })).length, 299)
})

test('other work gets its turn while large nodes are read, on a path and in a walk', async (t) => {
  const { store, lines, value } = createFileCommands(t)
  const data = Buffer.alloc(300_000)
  let cid = cidOf(1, rawCodec, multihashOf('identity', Buffer.from('x')))
  for (let level = 0; level < 6; level += 1) {
    const bytes = encodeDagNode({ links: [{ cid: cid.bytes, name: 'a', size: 0n }], data })
    cid = cidOf(1, dagPbCodec, multihashOf('sha2-256', bytes))
    await store.put([{ ref: { kind: 'dag-block', hash: cid.multihash.bytes }, bytes }])
  }
  let turns = 0
  async function turnsIn(work: Promise<unknown>): Promise<number> {
    const before = turns
    let going = true
    const turn = (): void => {
      turns += 1
      if (going) setImmediate(turn)
    }
    setImmediate(turn)
    await work
    going = false
    return turns - before
  }
  const root = cid.toString()
  assert.ok((await turnsIn(value('block/stat', [`${root}/a/a/a/a/a/a`]))) >= 2)
  assert.ok((await turnsIn(lines('refs', [root], { recursive: true }))) >= 2)
  assert.ok((await turnsIn(value('pin/add', [root]))) >= 2)
})

test('metadata that no tool writes is shown as unset, so that clients can read the answer', async (t) => {
  const { store, value } = createFileCommands(t)
  async function put(metadata: object): Promise<string> {
    const data = encodeUnixfs({ type: 'directory', ...metadata })
    const inner = encodeDagNode({ links: [], data })
    const cid = cidOf(1, dagPbCodec, multihashOf('identity', inner))
    const links = [{ cid: cid.bytes, name: 'a', size: 0n }]
    const block = encodeDagNode({ links, data: encodeUnixfs({ type: 'directory' }) })
    const root = cidOf(1, dagPbCodec, multihashOf('sha2-256', block))
    await store.put([{ ref: { kind: 'dag-block', hash: root.multihash.bytes }, bytes: block }])
    return root.toString()
  }
  const timeOf = async (metadata: object): Promise<unknown> => {
    const { Objects } = (await value('ls', [await put(metadata)])) as {
      Objects: { Links: { ModTime: string }[] }[]
    }
    return Objects[0]?.Links[0]?.ModTime
  }
  const unset = '0001-01-01T00:00:00Z'
  assert.equal(await timeOf({ mtime: { seconds: 5n, nanos: 4_294_967_295 } }), unset)
  assert.equal(await timeOf({ mtime: { seconds: 253_402_300_800n, nanos: 0 } }), unset)
  const last = { seconds: 253_402_300_799n, nanos: 999_999_999 }
  assert.equal(await timeOf({ mtime: last }), '9999-12-31T23:59:59.999999999Z')
  const stat = (await value('files/stat', [`/ipfs/${await put({ mode: 0 })}/a`])) as object
  assert.ok(!('Mode' in stat))
})

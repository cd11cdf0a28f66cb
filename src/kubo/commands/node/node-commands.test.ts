// Commands that describe a node and its store to clients. Shapes: Kubo 0.43.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileCommands, type Options } from '../../../../test/fakes/files/file-commands.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'
import type { UploadEntry } from '../../../ipfs/import/upload-entry.ts'
import type { CommandReply } from '../../kubo-command.ts'
import { ownAddress } from '../../replies/node-identity.ts'

const absent = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const notHere = `block was not found locally (offline): ipld: could not find ${absent}`
const peerId = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'

/** The reply with `encoding=text`. */
async function textOf(reply: CommandReply): Promise<string> {
  if (reply.kind === 'object') return reply.text?.(reply.value) ?? assert.fail('no text')
  if (reply.kind === 'bytes') return assert.fail('bytes are no text')
  const values = await Array.fromAsync<unknown>(
    reply.kind === 'keyed' ? reply.entries : reply.lines,
  )
  return values.map((value) => reply.text?.(value) ?? assert.fail('no text')).join('')
}

/** A new one each time, because entries can be read only once. */
const folder = (): readonly UploadEntry[] => [
  fileEntry('d/long name', 'stone'),
  fileEntry('d/sub/a', 'x'.repeat(12)),
]

async function addFolder(lines: ReturnType<typeof createFileCommands>['lines']) {
  const added = (await lines('add', [], {}, folder())) as { Hash: string }[]
  const [file = '', below = '', sub = '', root = ''] = added.map(({ Hash }) => Hash)
  return { file, below, sub, root }
}

test('id names the address that the client used, so that clients treat it as online', async (t) => {
  const { value } = createFileCommands(t)
  const id = (await value('id')) as { ID: string; Addresses: string[] }
  assert.equal(id.ID, peerId)
  assert.deepEqual(id.Addresses, [`/ip4/127.0.0.1/tcp/8545/http/p2p/${peerId}`])
  assert.deepEqual(await value('swarm/addrs'), {
    Addrs: { [peerId]: ['/ip4/127.0.0.1/tcp/8545/http'] },
  })
})

test('a Host header becomes an address of its kind, and a malformed one becomes none', () => {
  assert.equal(ownAddress('[::1]:8545'), '/ip6/::1/tcp/8545/http')
  assert.equal(ownAddress('cairn.example'), '/dns/cairn.example/tcp/80/http')
  assert.equal(ownAddress('cairn.example:443'), '/dns/cairn.example/tcp/443/https')
  for (const host of ['', 'a b', 'a/b', '[::1', 'a:b', 'a:123456']) {
    assert.equal(ownAddress(host), null, host)
  }
})

test('a node without peers says so in the shapes that clients read', async (t) => {
  const { value, lines } = createFileCommands(t)
  assert.deepEqual(await value('swarm/peers'), { Peers: null })
  assert.deepEqual(await lines('stats/bw'), [{ TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }])
  assert.deepEqual(await value('repo/version'), { Version: '18' })
})

test('resolve gives the CID that a path ends at, in the requested base', async (t) => {
  const { lines, value } = createFileCommands(t)
  const { root, below } = await addFolder(lines)
  const path = `/ipfs/${root}/sub/a`
  assert.deepEqual(await value('resolve', [path]), { Path: `/ipfs/${below}` })
  assert.deepEqual(await value('resolve', [`${root}/sub/a`]), { Path: `/ipfs/${below}` })
  assert.deepEqual(await value('resolve', [`/ipfs/${absent}`]), { Path: `/ipfs/${absent}` })
  const based = (await value('resolve', [path], { 'cid-base': 'base32' })) as { Path: string }
  assert.match(based.Path, /^\/ipfs\/bafybei/)
  await assert.rejects(value('resolve', [`/ipfs/${root}/no`]), {
    message: `no link named "no" under ${root}`,
  })
  await assert.rejects(value('resolve', ['/ipns/example.org']), /gateway\.dnslink does not list it/)
})

test('stats/repo is repo/stat, and size-only leaves out all but sizes', async (t) => {
  const { lines, value } = createFileCommands(t)
  await addFolder(lines)
  const whole = (await value('repo/stat')) as { RepoSize: number; NumObjects: number }
  assert.equal(whole.NumObjects, 4)
  assert.deepEqual(await value('stats/repo'), whole)
  assert.deepEqual(await value('stats/repo', [], { 'size-only': true }), {
    ...whole,
    NumObjects: 0,
    Version: '',
  })
})

test('refs/local lists each block of the account once, and none of another account', async (t) => {
  const { files, lines } = createFileCommands(t)
  const storedBytes = async (account: string) =>
    (await lines('refs/local', [], {}, null, files, account)) as { Ref: string; Err: string }[]
  assert.deepEqual(await storedBytes('alice'), [])
  const entries = (length: number) =>
    Array.from({ length }, (_, index) => fileEntry(`d/${index}`, `${index}`))
  const options = { 'cid-version': 1n, 'raw-leaves': true }
  const first = (await lines('add', [], options, entries(1200))) as { Hash: string }[]
  // Most of the entries again below another root, and one block without a pin.
  await lines('add', [], options, entries(1100))
  await lines('add', [], { ...options, pin: false }, [fileEntry('x', 'loose')])
  const others = await lines('add', [], options, [fileEntry('y', 'of bob')], files, 'bob')
  const refs = await storedBytes('alice')
  const listed = refs.map(({ Ref }) => Ref)
  assert.equal(new Set(listed).size, listed.length)
  assert.equal(listed.length, 1200 + 2 + 1)
  assert.ok(refs.every(({ Ref, Err }) => Ref.startsWith('bafkrei') && Err === ''))
  for (const { Hash } of first.slice(0, 1200)) assert.ok(listed.includes(Hash), Hash)
  const [{ Hash: other }] = others as [{ Hash: string }]
  assert.ok(!listed.includes(other))
  assert.deepEqual(await storedBytes('bob'), [{ Ref: other, Err: '' }])
})

test('commands lists the offered commands, with options, and nothing else', async (t) => {
  const { run, value } = createFileCommands(t)
  type Node = { Name: string; Subcommands: Node[]; Options: { Names: string[] }[] }
  const root = (await value('commands')) as Node
  const find = (...words: string[]): Node | undefined =>
    words.reduce<Node | undefined>(
      (at, word) => at?.Subcommands.find(({ Name }) => Name === word),
      root,
    )
  assert.equal(root.Name, 'ipfs')
  assert.deepEqual(root.Options[0], { Names: ['encoding', 'enc'] })
  assert.deepEqual(find('pin', 'rm'), {
    Name: 'rm',
    Subcommands: [],
    Options: [{ Names: ['recursive', 'r'] }],
  })
  assert.equal(find('refs')?.Subcommands[0]?.Name, 'local')
  assert.ok((find('refs')?.Options.length ?? 0) > 0)
  assert.equal(find('log'), undefined)
  const plain = await textOf(await run('commands'))
  assert.match(plain, /^ipfs\nipfs add\nipfs bitswap\n/)
  const flags = await textOf(await run('commands', [], { flags: true }))
  assert.match(flags, /\nipfs pin rm --recursive \/ ipfs pin rm -r\n/)
})

test('config/show has the import options of this account, and no secret', async (t) => {
  const { value } = createFileCommands(t)
  const shown = (await value('config/show')) as Record<string, Record<string, unknown>>
  assert.deepEqual(shown['Identity'], { PeerID: peerId })
  assert.deepEqual(shown['Addresses'], {
    API: '/ip4/127.0.0.1/tcp/8545/http',
    Gateway: '/ip4/127.0.0.1/tcp/8545/http',
    Swarm: [],
  })
  assert.equal(shown['Import']?.['CidVersion'], 0)
  assert.equal(shown['Import']?.['UnixFSChunker'], 'size-262144')
  assert.deepEqual(shown['Routing'], { Type: 'none' })
  assert.doesNotMatch(JSON.stringify(shown), /priv|secret|token|key/i)
})

test('refs reports missing content in a line, and walks the other arguments', async (t) => {
  const { lines } = createFileCommands(t)
  const { root, file, sub } = await addFolder(lines)
  const missing = { Ref: '', Err: notHere }
  assert.deepEqual(await lines('refs', [absent]), [missing])
  assert.deepEqual(await lines('refs', [absent, root]), [
    missing,
    { Ref: file, Err: '' },
    { Ref: sub, Err: '' },
  ])
  await assert.rejects(lines('refs', [`${root}/nope`]), /no link named "nope"/)
})

test('missing content fails immediately where no source could have it, whatever the time limit', async (t) => {
  const { run } = createFileCommands(t)
  const options = { timeout: 600_000n }
  for (const name of ['cat', 'block/get', 'block/stat', 'ls', 'dag/get']) {
    const answered = (async () => {
      const reply = await run(name, [absent], options)
      if (reply.kind === 'events') await Array.fromAsync(reply.lines)
    })()
    await assert.rejects(answered, { message: notHere }, name)
  }
})

test('cat of a symbolic link is its target', async (t) => {
  const { lines, cat } = createFileCommands(t)
  const entries: readonly UploadEntry[] = [
    { kind: 'symlink', path: 'd/link', target: 'a/b' },
    fileEntry('d/a', 'stone'),
  ]
  const root = ((await lines('add', [], {}, entries)).at(-1) as { Hash: string }).Hash
  assert.deepEqual(await cat([`${root}/link`]), ['a/b', 3n])
  assert.deepEqual(await cat([`${root}/link`, `${root}/a`], { offset: 2n }), ['bstone', 6n])
})

test('block/put takes codecs by number and prints in the requested base', async (t) => {
  const { lines } = createFileCommands(t)
  const put = async (options: Options) =>
    ((await lines('block/put', [], options, [fileEntry('b', '{"a":1}\n')])) as { Key: string }[])[0]
      ?.Key
  const raw = 'bafkreihdizbsainqif4vddmwctzvmdgnoe2uutxbaho4xcj5nfm2tvrqdq'
  for (const codec of ['0x55', '0X55', '85', 'raw']) {
    assert.equal(await put({ 'cid-codec': codec }), raw, codec)
  }
  assert.equal(
    await put({ 'cid-codec': '0x71' }),
    'bafyreihdizbsainqif4vddmwctzvmdgnoe2uutxbaho4xcj5nfm2tvrqdq',
  )
  assert.equal(
    await put({ 'cid-base': 'base58btc' }),
    'zb2rhmwTt3b9mFLBbo1HqFzYucZVAsff3uBnHiTARXJvDiSh1',
  )
  assert.equal(
    await put({ 'cid-base': 'base36', format: 'v0' }),
    'k2jmtxx119huouysajvy3fdztiv3a2e7zyk08t7utqhx267svol3ki70',
  )
  assert.equal(await put({ format: 'v0' }), 'QmddqPzNuuzKEQwTJjVhs1E6iuAAwZaSsWvNrkdj9wkGVH')
  for (const codec of ['0x9999', '0x', '1e2', '-85', 'nope']) {
    const message = `unknown multicodec: ${JSON.stringify(codec)}`
    await assert.rejects(put({ 'cid-codec': codec }), { message }, codec)
  }
  await assert.rejects(put({ 'cid-base': 'nope' }), {
    message: 'unsupported multibase encoding: nope',
  })
})

test('dag/put and dag/get take codecs by number too', async (t) => {
  const { lines, bytes } = createFileCommands(t)
  const options = { 'store-codec': '0x71', 'input-codec': '0x0129' }
  const entries = [fileEntry('n', '{"a":1}')]
  const [{ Cid }] = (await lines('dag/put', [], options, entries)) as [{ Cid: { '/': string } }]
  const got = await bytes('dag/get', [Cid['/']], { 'output-codec': '297' })
  assert.equal(got.toString(), '{"a":1}')
})

test('answers as text are the lines that Kubo writes', async (t) => {
  const { run, lines } = createFileCommands(t)
  const text = async (...call: Parameters<typeof run>) => await textOf(await run(...call))
  const { root, file, below, sub } = await addFolder(lines)
  assert.equal(await text('ls', [root]), `${file} 5 long name\n${sub} - sub/\n`)
  assert.equal(
    await text('ls', [sub, root], { headers: true }),
    `${sub}:\nHash${' '.repeat(43)}Size Name\n${below} 12   a\n\n` +
      `${root}:\nHash${' '.repeat(43)}Size Name\n${file} 5    long name\n${sub} -    sub/\n`,
  )
  assert.equal(await text('ls', [sub], { stream: true }), `${below} 12        a\n`)
  assert.equal(await text('ls', [sub], { size: false }), `${below} a\n`)
  assert.equal(await text('refs', [root]), `${file}\n${sub}\n`)
  await assert.rejects(text('refs', [absent]), { message: notHere })
  assert.equal(await text('block/stat', [sub]), `Key: ${sub}\nSize: 47\n`)
  assert.equal(await text('resolve', [`${root}/sub`]), `/ipfs/${sub}\n`)
  assert.equal(await text('dag/resolve', [`${root}/sub`]), sub)
  assert.equal(await text('pin/add', [sub]), `pinned ${sub} recursively\n`)
  assert.equal(
    await text('pin/add', [file], { recursive: false, name: 'n' }),
    `pinned ${file} directly\n`,
  )
  assert.equal(await text('pin/ls', [], { type: 'direct', names: true }), `${file} direct n\n`)
  assert.equal(await text('pin/ls', [], { type: 'direct', stream: true }), `${file} direct\n`)
  assert.equal(await text('pin/ls', [], { type: 'direct', quiet: true }), `${file}\n`)
  assert.equal(await text('pin/verify', [], { verbose: true }), await verified())
  assert.equal(await text('pin/rm', [file]), `unpinned ${file}\n`)
  assert.equal(await text('pin/update', [sub, below]), `updated ${sub} to ${below}\n`)
  const stat = (await run('repo/stat')) as { value: { RepoSize: number } }
  assert.equal(
    await text('repo/stat'),
    `NumObjects: 4\nRepoSize:   ${stat.value.RepoSize}\nStorageMax: 18446744073709551615\nRepoPath:   \nVersion:    fs-repo@18\n`,
  )
  assert.equal(await text('repo/version'), 'ipfs repo version fs-repo@18\n')
  assert.equal(await text('repo/version', [], { quiet: true }), 'fs-repo@18\n')
  assert.equal(await text('version'), 'ipfs version 0.43.0\n')
  assert.equal(await text('version', [], { number: true }), '0.43.0\n')
  assert.equal(await text('version', [], { repo: true }), '18\n')
  assert.equal(await text('swarm/peers'), '')
  assert.equal(await text('swarm/addrs'), `${peerId} (1)\n\t/ip4/127.0.0.1/tcp/8545/http\n`)
  assert.match(await text('id'), /^\{\n\t"ID": "12D3KooW/)
  assert.match(await text('config/show'), /^\{\n {2}"Addresses": \{/)
  const entries = [fileEntry('new', 'moss')]
  const added = await text('add', [], { progress: true, pin: false }, entries)
  assert.match(added, /^added Qm\w{44} new\n$/)
  const loose = added.split(' ')[1] ?? ''
  assert.equal(await text('block/rm', [loose]), `removed ${loose}\n`)
  assert.match(
    await text('block/rm', [root]),
    new RegExp(`^cannot remove ${root}: pinned: recursive\n$`),
  )
  assert.match(await text('block/put', [], {}, entries), /^bafkrei\w+\n$/)
  assert.match(await text('repo/gc'), /^removed bafkrei\w+\n$/)
  assert.match(await text('dag/put', [], {}, [fileEntry('n', '{}')]), /^bafyrei\w+\n$/)

  async function verified(): Promise<string> {
    const listed = (await lines('pin/verify', [], { verbose: true })) as { Cid: string }[]
    assert.equal(listed.length, 2)
    return listed.map(({ Cid }) => `${Cid} ok\n`).join('')
  }
})

// Promises of dag/get and dag/resolve, and of pins over other codecs, on a real store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'

type Commands = ReturnType<typeof createFileCommands>

async function putJson({ lines }: Commands, value: unknown): Promise<string> {
  const entry = fileEntry('x', JSON.stringify(value))
  const [line] = (await lines('block/put', [], { 'cid-codec': 'dag-json' }, [entry])) as {
    Key: string
  }[]
  return line?.Key ?? ''
}

test('a path goes through blocks of any codec, and dag/resolve reports the rest inside the last one', async (t) => {
  const commands = createFileCommands(t)
  const { add, value, bytes } = commands
  const file = await add('a', 'abc')
  const leaf = await putJson(commands, { c: { cb: [1, { deep: 'x' }] }, file: { '/': file } })
  const root = await putJson(commands, { z: 1, list: [0, { '/': leaf }] })

  const resolve = (path: string) => value('dag/resolve', [path])
  assert.deepEqual(await resolve(root), { Cid: { '/': root }, RemPath: '' })
  assert.deepEqual(await resolve(`${root}/list/1/c/cb`), { Cid: { '/': leaf }, RemPath: '/c/cb' })
  assert.deepEqual(await resolve(`${root}/list/1/file`), { Cid: { '/': file }, RemPath: '' })
  assert.deepEqual(await resolve(`${root}/z`), { Cid: { '/': root }, RemPath: '/z' })
  await assert.rejects(resolve(`${root}/list/7`), { message: `no link named "7" under ${root}` })
  await assert.rejects(resolve(`${root}/z/y`), { message: `no link named "y" under ${root}` })

  const get = async (path: string, options = {}) =>
    (await bytes('dag/get', [path], options)).toString()
  assert.equal(await get(root), `{"list":[0,{"/":"${leaf}"}],"z":1}`)
  assert.equal(await get(`${root}/list/1/c/cb/1/deep`), '"x"')
  assert.equal(await get(`${root}/list/1/c/cb`), '[1,{"deep":"x"}]')
  // Content below a link of another codec is reached, too.
  assert.equal((await bytes('cat', [`${root}/list/1/file`])).toString(), 'abc')
  await assert.rejects(bytes('cat', [`${root}/z`]), { message: `no link named "z" under ${root}` })
})

test('a dag-pb node is shown as dag-json, by entry below /ipfs and by member below /ipld', async (t) => {
  const { lines, bytes, value } = createFileCommands(t)
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('a', 'abc'),
  ])) as { Hash: string }[]
  const [file, root] = all.map((line) => line.Hash) as [string, string]
  const json = `{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"${file}"},"Name":"a","Tsize":11}]}`
  assert.equal((await bytes('dag/get', [root])).toString(), json)
  assert.equal((await bytes('dag/get', [`/ipld/${root}/Links/0/Tsize`])).toString(), '11')
  const inside = { Cid: { '/': file }, RemPath: '' }
  assert.deepEqual(await value('dag/resolve', [`/ipld/${root}/Links/0/Hash`]), inside)
  assert.deepEqual(await value('dag/resolve', [`${root}/a`]), inside)
  await assert.rejects(value('dag/resolve', [`${root}/Links`]), /no link named "Links"/)
})

test('raw is shown as bytes; a block comes verbatim in its own codec, and anew in others', async (t) => {
  const { add, bytes } = createFileCommands(t)
  const cid = await add('a', 'abc', { 'cid-version': 1n })
  assert.equal((await bytes('dag/get', [cid])).toString(), '{"/":{"bytes":"YWJj"}}')
  assert.equal((await bytes('dag/get', [cid], { 'output-codec': 'raw' })).toString(), 'abc')
  const cbor = await bytes('dag/get', [cid], { 'output-codec': 'dag-cbor' })
  assert.equal(cbor.toString('hex'), '43616263')
  await assert.rejects(bytes('dag/get', [cid], { 'output-codec': 'dag-pb' }), {
    message: 'not a dag-pb node: it must be a map',
  })
  await assert.rejects(bytes('dag/get', [cid], { 'output-codec': 'git-raw' }), {
    message: 'no encoder registered for multicodec code 120 (0x78)',
  })
  await assert.rejects(bytes('dag/get', [cid], { 'output-codec': 'x' }), {
    message: 'unknown multicodec: "x"',
  })
})

test('a recursive pin takes in what dag-cbor and dag-json blocks link to', async (t) => {
  const commands = createFileCommands(t)
  const { add, lines, value } = commands
  const file = await add('a', 'abc', { pin: false })
  const root = await putJson(commands, { at: { '/': file } })
  assert.deepEqual(await value('pin/add', [root]), { Pins: [root] })
  assert.deepEqual(await lines('pin/ls', [file], { stream: true }), [
    { Cid: file, Type: `indirect through ${root}` },
  ])
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  const broken = await putJson(commands, { at: { '/': missing } })
  await assert.rejects(value('pin/add', [broken]), /^Fault: pin: .*could not find/)
})

test('dag/stat counts each DAG, and what several share once', async (t) => {
  const { add, lines } = createFileCommands(t)
  const part = 'x'.repeat(262_144)
  const raw = { 'raw-leaves': true }
  const one = await add('a', `${part}one`, raw)
  const two = await add('b', `${part}two`, raw)
  const single = await lines('dag/stat', [one])
  const [only] = single as [{ TotalSize: bigint; DagStats: { Size: bigint }[] }]
  assert.deepEqual(single, [
    {
      UniqueBlocks: 3n,
      TotalSize: only.TotalSize,
      Ratio: 1,
      DagStats: [{ Cid: one, Size: only.TotalSize, NumBlocks: 3n }],
    },
  ])
  const [both] = (await lines('dag/stat', [one, two], { progress: false })) as [
    Record<string, unknown>,
  ]
  assert.deepEqual(
    [both['UniqueBlocks'], both['SharedSize'], both['Ratio']],
    [5n, 262_144n, 1.99918432],
  )
  assert.equal((both['DagStats'] as unknown[]).length, 2)
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  await assert.rejects(lines('dag/stat', [missing]), /could not find/)
})

test('dag/stat reports progress every half second, unless progress=false', async (t) => {
  const { add, lines, clock, files } = createFileCommands(t)
  const root = await add('a', 'x'.repeat(600_000))
  const slow = {
    ...files,
    async *blocks(...call: Parameters<typeof files.blocks>) {
      for await (const one of files.blocks(...call)) {
        clock.advance(300)
        yield one
      }
    },
  }
  assert.equal((await lines('dag/stat', [root], {}, null, slow)).length, 2)
  assert.equal((await lines('dag/stat', [root], { progress: false }, null, slow)).length, 1)
})

const putLines = async ({ lines }: Commands, content: string | Uint8Array, options = {}) =>
  (await lines('dag/put', [], options, [fileEntry('x', content)])) as { Cid: { '/': string } }[]

test('dag/put keeps dag-json as dag-cbor under the CID that Kubo gives it, and dag/get shows it again', async (t) => {
  const commands = createFileCommands(t)
  const [line] = await putLines(commands, '{"hello":"world"}')
  // The first example of the IPLD tutorials.
  assert.deepEqual(line, {
    Cid: { '/': 'bafyreidykglsfhoixmivffc5uwhcgshx4j465xwqntbmu43nb2dzqwfvae' },
  })
  assert.equal((await commands.bytes('dag/get', [line.Cid['/']])).toString(), '{"hello":"world"}')
  const cbor = await commands.bytes('block/get', [line.Cid['/']])
  assert.equal(cbor.toString('hex'), 'a16568656c6c6f65776f726c64')
})

test('dag/put takes and stores every codec, under any hash, one line a part', async (t) => {
  const commands = createFileCommands(t)
  const { lines, bytes, add } = commands
  const file = await add('a', 'abc')
  const node = `{"z":{"/":"${file}"},"a":[1,1.5,null,{"/":{"bytes":"AQID"}}]}`
  const sorted = `{"a":[1,1.5,null,{"/":{"bytes":"AQID"}}],"z":{"/":"${file}"}}`
  for (const codec of ['dag-cbor', 'dag-json']) {
    const [put] = await putLines(commands, node, { 'store-codec': codec, hash: 'sha2-512' })
    assert.equal((await bytes('dag/get', [put?.Cid['/'] ?? ''])).toString(), sorted)
    const again = await bytes('block/get', [put?.Cid['/'] ?? ''])
    const options = { 'input-codec': codec, 'store-codec': codec, hash: 'sha2-512' }
    assert.deepEqual(await putLines(commands, again, options), [put])
  }
  const raw = await putLines(commands, 'abc', { 'input-codec': 'raw', 'store-codec': 'raw' })
  assert.deepEqual(raw, [
    { Cid: { '/': 'bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu' } },
  ])
  const twice = [fileEntry('x', '1'), fileEntry('y', '2')]
  assert.equal((await lines('dag/put', [], {}, twice)).length, 2)
  const plain = await putLines(commands, '{"/":"is a name"}', { 'input-codec': 'json' })
  const cbor = await bytes('dag/get', [plain[0]?.Cid['/'] ?? ''], { 'output-codec': 'dag-cbor' })
  assert.equal(cbor.toString('hex'), 'a1612f6969732061206e616d65')
  assert.deepEqual(await putLines(commands, cbor, { 'input-codec': 'cbor' }), plain)
})

test('dag/put makes the dag-pb block that a directory has, whatever order its links are given in', async (t) => {
  const commands = createFileCommands(t)
  const { lines, bytes } = commands
  const all = (await lines('add', [], { 'wrap-with-directory': true, 'cid-version': 1n }, [
    fileEntry('a', 'abc'),
    fileEntry('b', 'abd'),
  ])) as { Hash: string }[]
  const root = all.at(-1)?.Hash ?? ''
  const shown = (await bytes('dag/get', [root])).toString()
  const node = JSON.parse(shown) as { Links: unknown[] }
  for (const Links of [node.Links, node.Links.toReversed()]) {
    const text = JSON.stringify({ ...node, Links })
    const [put] = await putLines(commands, text, { 'store-codec': 'dag-pb' })
    assert.equal(put?.Cid['/'], root)
  }
})

test('what dag/put can not read, write or take is refused in words', async (t) => {
  const commands = createFileCommands(t)
  const put = (content: string | Uint8Array, options = {}) => putLines(commands, content, options)
  const refused: readonly [string, Record<string, string>, string | RegExp][] = [
    ['{', {}, /^malformed dag-json/],
    ['1 2', {}, /^malformed dag-json: text after the end/],
    ['{}', { 'input-codec': 'dag-cbor' }, /^malformed dag-cbor/],
    ['1', { 'store-codec': 'raw' }, 'a raw block is bytes and nothing else'],
    ['{}', { 'store-codec': 'dag-pb' }, 'not a dag-pb node: Links must be a list'],
    ['[]', { 'store-codec': 'dag-pb' }, 'not a dag-pb node: it must be a map'],
    [
      '{"Links":[],"x":1}',
      { 'store-codec': 'dag-pb' },
      'not a dag-pb node: no member is called "x"',
    ],
    ['{"Links":[{}]}', { 'store-codec': 'dag-pb' }, 'not a dag-pb node: Hash must be a link'],
    ['{"Links":[],"Data":1}', { 'store-codec': 'dag-pb' }, 'not a dag-pb node: Data must be bytes'],
    ['1', { 'store-codec': 'x' }, 'unknown multicodec: "x"'],
    ['1', { 'input-codec': 'x' }, 'unknown multicodec: "x"'],
    ['1', { hash: 'x' }, 'unknown multicodec: "x"'],
    ['1', { 'store-codec': 'json' }, 'no encoder registered for multicodec code 512 (0x200)'],
    ['1', { 'input-codec': 'git-raw' }, 'no decoder registered for multicodec code 120 (0x78)'],
    [`"${'x'.repeat(150)}"`, { hash: 'identity' }, /^digest too large: identity digest/],
  ]
  for (const [content, options, message] of refused) {
    await assert.rejects(put(content, options), { code: 'command_failed', message }, content)
  }
  const folder = [{ kind: 'directory', path: 'd' }] as const
  await assert.rejects(commands.lines('dag/put', [], {}, folder), /expected a regular file/)
  await assert.rejects(commands.lines('dag/put'), { code: 'bad_argument' })
})

test('dag/put limits the size of the block and of the input', async (t) => {
  const commands = createFileCommands(t)
  const text = (bytes: number) => JSON.stringify('x'.repeat(bytes))
  // The string follows a header of 5 bytes.
  assert.equal((await putLines(commands, text(2_097_147))).length, 1)
  await assert.rejects(putLines(commands, text(2_097_148)), /produced block is over 2MiB/)
  const big = { 'allow-big-block': true }
  assert.equal((await putLines(commands, text(2_097_148), big)).length, 1)
  await assert.rejects(putLines(commands, text(4_194_300), big), /over 4MiB/)
  await assert.rejects(putLines(commands, ' '.repeat(4_194_305)), /over 2MiB/)
})

test('dag/put pins a node only when all that it links to is here', async (t) => {
  const commands = createFileCommands(t)
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  const text = `{"at":{"/":"${missing}"}}`
  await assert.rejects(putLines(commands, text, { pin: true }), /could not find/)
  const [put] = await putLines(commands, '{"at":1}', { pin: true })
  const pins = (await commands.value('pin/ls')) as { Keys: Record<string, unknown> }
  assert.deepEqual(Object.keys(pins.Keys), [put?.Cid['/']])
})

test('dag-cbor with text that is not UTF-8 is pinned, walked, exported and shown', async (t) => {
  const commands = createFileCommands(t)
  const { add, bytes, lines, value } = commands
  const file = await add('a', 'abc', { pin: false, 'cid-version': 1n })
  const link = `d82a582500${Buffer.from(CID.parse(file).bytes).toString('hex')}`
  const block = Buffer.from(`a2616162ff006162${link}`, 'hex')
  const [put] = (await lines('block/put', [], { 'cid-codec': 'dag-cbor' }, [
    fileEntry('x', block),
  ])) as { Key: string }[]
  const root = put?.Key ?? assert.fail()
  assert.deepEqual(await value('pin/add', [root]), { Pins: [root] })
  const pins = (await value('pin/ls', [], {})) as { Keys: Record<string, { Type: string }> }
  assert.equal(pins.Keys[file]?.Type, 'indirect')
  assert.deepEqual(await lines('refs', [root], { recursive: true }), [{ Ref: file, Err: '' }])
  const car = await bytes('dag/export', [root])
  assert.ok(car.includes(block))

  const other = createFileCommands(t)
  assert.deepEqual(await other.lines('dag/import', [], {}, [fileEntry('x.car', car)]), [
    { Root: { Cid: { '/': root }, PinErrorMsg: '' } },
  ])

  const get = async (path: string, options = {}) => await bytes('dag/get', [path], options)
  assert.equal((await get(root)).toString(), String.raw`{"a":"\ufffd\u0000","b":{"/":"${file}"}}`)
  // A value inside a block, in the block's own codec, has its original bytes.
  const cbor = { 'output-codec': 'dag-cbor' }
  assert.equal((await get(`${root}/a`, cbor)).toString('hex'), '62ff00')
  assert.deepEqual(await get(root, cbor), block)
  assert.deepEqual(await get(`${root}/b`), Buffer.from('{"/":{"bytes":"YWJj"}}'))
  // Stored again, it is the same block.
  const again = await lines('dag/put', [], { 'input-codec': 'dag-cbor' }, [fileEntry('x', block)])
  assert.deepEqual(again, [{ Cid: { '/': root } }])
})

test('dag-json with text that is not UTF-8 is pinned as it is, but not put as a node', async (t) => {
  const { bytes, lines, value } = createFileCommands(t)
  const entry = () => fileEntry('x', Buffer.from('2261ff22', 'hex'))
  const [put] = (await lines('block/put', [], { 'cid-codec': 'dag-json' }, [entry()])) as {
    Key: string
  }[]
  const root = put?.Key ?? assert.fail()
  assert.deepEqual(await value('pin/add', [root]), { Pins: [root] })
  assert.equal((await bytes('dag/get', [root])).toString(), '"a\ufffd"')
  await assert.rejects(lines('dag/put', [], {}, [entry()]), { message: /not UTF-8/ })
})

test('a signed object of dag-jose leads to its payload in pins, paths and exports', async (t) => {
  const { add, bytes, lines, value } = createFileCommands(t)
  const file = await add('a', 'payload', { pin: false, 'cid-version': 1n })
  const payload = Buffer.from(CID.parse(file).bytes).toString('base64url')
  const signed = { payload, protected: 'AQ', signature: 'AQIDBA' }
  const [put] = (await lines('dag/put', [], { 'store-codec': 'dag-jose' }, [
    fileEntry('x', JSON.stringify(signed)),
  ])) as { Cid: { '/': string } }[]
  const root = put?.Cid['/'] ?? assert.fail()
  assert.match(root, /^bagcqcera/)
  assert.deepEqual(JSON.parse((await bytes('dag/get', [root])).toString()), {
    link: { '/': file },
    payload,
    signatures: [{ protected: 'AQ', signature: 'AQIDBA' }],
  })
  assert.deepEqual(await value('pin/add', [root]), { Pins: [root] })
  assert.deepEqual(await lines('refs', [root], {}), [{ Ref: file, Err: '' }])
  assert.equal((await bytes('cat', [`${root}/link`])).toString(), 'payload')
  assert.ok((await bytes('dag/export', [root])).includes('payload'))
})

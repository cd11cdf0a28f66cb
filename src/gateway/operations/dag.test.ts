// Promises of dag/get and dag/resolve, and of pins over other codecs, on a real file side.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileCommands } from '../../../test/fakes/file-commands.ts'
import { fileEntry } from '../../../test/fakes/files-fixture.ts'

type Commands = ReturnType<typeof createFileCommands>

async function putJson({ lines }: Commands, value: unknown): Promise<string> {
  const entry = fileEntry('x', JSON.stringify(value))
  const [line] = (await lines('block/put', [], { 'cid-codec': 'dag-json' }, [entry])) as {
    Key: string
  }[]
  return line?.Key ?? ''
}

test('a path goes through blocks of any codec, and what is left inside the last one is told', async (t) => {
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
  // Content below a link of another codec is reached as well.
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

test('raw is shown as bytes; a block comes verbatim in its own codec, and in no other', async (t) => {
  const { add, bytes } = createFileCommands(t)
  const cid = await add('a', 'abc', { 'cid-version': 1n })
  assert.equal((await bytes('dag/get', [cid])).toString(), '{"/":{"bytes":"YWJj"}}')
  assert.equal((await bytes('dag/get', [cid], { 'output-codec': 'raw' })).toString(), 'abc')
  await assert.rejects(bytes('dag/get', [cid], { 'output-codec': 'dag-cbor' }), {
    code: 'unsupported_option',
    message: 'value "dag-cbor" of option "output-codec" is not supported by this server',
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

test('dag/stat tells how far it is every half second, unless told not to', async (t) => {
  const { add, lines, clock, files } = createFileCommands(t)
  const root = await add('a', 'x'.repeat(600_000))
  const slow = {
    ...files,
    async *blocks(...call: Parameters<typeof files.blocks>) {
      for await (const one of files.blocks(...call)) {
        clock.turn(300)
        yield one
      }
    },
  }
  assert.equal((await lines('dag/stat', [root], {}, null, slow)).length, 2)
  assert.equal((await lines('dag/stat', [root], { progress: false }, null, slow)).length, 1)
})

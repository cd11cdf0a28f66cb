// Promises of block/get, block/stat, block/put and pin/update on a real store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { createFileCommands, type Options } from '../../../../test/fakes/files/file-commands.ts'
import { fileEntry, never } from '../../../../test/fakes/files/files-fixture.ts'
import type { CommandReply } from '../../kubo-command.ts'

const hello = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'

test('a block is given as it is stored, by CID, by the other version of it and by path', async (t) => {
  const { add, bytes, value, lines } = createFileCommands(t)
  assert.equal(await add('hello.txt', 'hello\n'), hello)
  const stored = Buffer.from('0a0c0802120668656c6c6f0a1806', 'hex')
  assert.deepEqual(await bytes('block/get', [hello]), stored)
  const v1 = 'bafybeiffndsajwhk3lwjewwdxqntmjm4b5wxaaanokonsggenkbw6slwk4'
  assert.deepEqual(await bytes('block/get', [v1]), stored)
  const all = (await lines('add', [], { 'wrap-with-directory': true }, [
    fileEntry('hello.txt', 'hello\n'),
  ])) as { Hash: string }[]
  const byPath = `/ipfs/${all.at(-1)?.Hash}/hello.txt`
  assert.deepEqual(await value('block/stat', [byPath]), { Key: hello, Size: stored.length })
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  await assert.rejects(value('block/stat', [missing]), /ipld: could not find/)
})

test('a block is put under the CID of its options, and can be read afterwards', async (t) => {
  const { lines, bytes } = createFileCommands(t)
  const key = async (options: Options, content = 'blorb') => {
    const [line] = (await lines('block/put', [], options, [fileEntry('x', content)])) as {
      Key: string
      Size: number
    }[]
    assert.equal(line?.Size, content.length)
    assert.equal((await bytes('block/get', [line?.Key ?? ''])).toString(), content)
    return line?.Key
  }
  assert.equal(await key({ format: 'v0' }), 'QmPv52ekjS75L4JmHpXVeuJ5uX2ecSfSZo88NSyxwA3rAQ')
  assert.equal(await key({}), await key({ 'cid-codec': 'raw' }))
  assert.match((await key({ format: 'protobuf' })) ?? '', /^bafybei/)
  assert.match((await key({ 'cid-codec': 'dag-cbor' })) ?? '', /^bafyrei/)
  assert.match((await key({ format: 'cbor' })) ?? '', /^bafyrei/)
  assert.match((await key({ mhtype: 'sha2-512' })) ?? '', /^bafkrgq/)
  assert.match((await key({ mhtype: 'identity' })) ?? '', /^bafkqa/)
  assert.match((await key({ mhtype: 'sha2-256', mhlen: 20n })) ?? '', /^bafkre/)
  const several = await lines('block/put', [], {}, [fileEntry('a', 'a'), fileEntry('b', 'b')])
  assert.equal(several.length, 2)
})

test('options of block/put that fit no CID are refused in the words of Kubo', async (t) => {
  const { lines } = createFileCommands(t)
  const refused: [Options, string][] = [
    [{ mhtype: 'nope' }, 'unrecognized multihash function: nope'],
    [{ 'cid-codec': 'nope' }, 'unknown multicodec: "nope"'],
    [
      { format: 'v0', 'cid-codec': 'dag-pb' },
      'unable to use "format" (deprecated) and a custom "cid-codec" at the same time',
    ],
    [{ format: 'v0', mhtype: 'sha2-512' }, 'invalid cid: invalid v0 prefix'],
    [{ mhlen: 33n }, 'requested length was too large for digest'],
    [{ mhlen: 4n }, 'digest too small: got 4 bytes, minimum 20'],
  ]
  for (const [options, message] of refused) {
    await assert.rejects(lines('block/put', [], options, [fileEntry('x', 'x')]), { message })
  }
  await assert.rejects(lines('block/put', [], {}, [{ kind: 'directory', path: 'd' }]), {
    message: 'expected a file',
  })
})

test('a block over its limit is refused and never kept', async (t) => {
  const retained: number[] = []
  const { lines } = createFileCommands(t, {
    wrapStore: (store) => ({
      ...store,
      batch() {
        retained.push(1)
        return store.batch()
      },
    }),
  })
  const put = (size: number, options: Options) =>
    lines('block/put', [], options, [fileEntry('x', Buffer.alloc(size))])
  const mebibyte = 1_048_576
  await assert.rejects(put(2 * mebibyte + 1, {}), /^Fault: produced block is over 2MiB: big blocks/)
  await assert.rejects(put(4 * mebibyte + 1, { 'allow-big-block': true }), /over 4MiB/)
  assert.deepEqual(retained, [])
  assert.equal((await put(2 * mebibyte, {})).length, 1)
  assert.equal((await put(2 * mebibyte + 1, { 'allow-big-block': true })).length, 1)
})

test('a block is pinned only when all below it is here, and kept only while its caller is', async (t) => {
  const { lines, add, value, files, run } = createFileCommands(t)
  const child = await add('a', 'abc', { pin: false })
  const link = Buffer.concat([
    Buffer.from('0a22', 'hex'),
    CID.parse(child).bytes,
    Buffer.from('12001800', 'hex'),
  ])
  const node = Buffer.concat([
    Buffer.from([0x12, link.length]),
    link,
    Buffer.from('0a020801', 'hex'),
  ])
  const [line] = (await lines('block/put', [], { format: 'v0', pin: true }, [
    fileEntry('x', node),
  ])) as { Key: string }[]
  const { Keys } = (await value('pin/ls', [line?.Key ?? ''])) as { Keys: object }
  assert.deepEqual(Object.values(Keys), [{ Type: 'recursive', Name: '' }])

  const broken = Buffer.from(node)
  broken[10] = (broken[10] ?? 0) ^ 1
  const put = lines('block/put', [], { format: 'v0', pin: true }, [fileEntry('x', broken)])
  await assert.rejects(put, /ipld: could not find/)

  const context = { accountId: 'alice', proceed: () => false, signal: never }
  const removed = CID.parse(line?.Key ?? '')
  const patience = { offline: true, timeoutMs: null }
  const away = files.putBlock({ cid: removed, bytes: node }, false, patience, context)
  await assert.rejects(away, { code: 'hung_up' })
  assert.equal((await run('block/get', [line?.Key ?? ''])).kind, 'bytes')
})

test('pin/update moves name and pin in one step, over the own pins only', async (t) => {
  const { add, value, lines, run, files } = createFileCommands(t)
  const [a, b] = [await add('a', 'aaa'), await add('b', 'bbb', { pin: false })]
  await run('pin/add', [a], { name: 'site' })
  assert.deepEqual(await value('pin/update', [a, b]), { Pins: [a, b] })
  const all = { stream: true, names: true }
  assert.deepEqual(await lines('pin/ls', [], all), [{ Cid: b, Name: 'site', Type: 'recursive' }])

  assert.deepEqual(await value('pin/update', [b, b]), { Pins: [b, b] })
  await assert.rejects(value('pin/update', [a, b]), {
    message: "'from' cid was not recursively pinned already",
  })
  assert.deepEqual(await value('pin/update', [b, a], { unpin: false }), { Pins: [b, a] })
  await assert.rejects(value('pin/update', [b, a]), {
    message: "'to' cid was already recursively pinned",
  })
  // Pins of another account have no effect.
  const asBob = value('pin/update', [a, b], {}, null, files, 'bob')
  await assert.rejects(asBob, { message: "'from' cid was not recursively pinned already" })
  await run('pin/add', [a], {}, null, files, 'bob')
  const moved: CommandReply = await run('pin/update', [a, b], {}, null, files, 'bob')
  assert.equal(moved.kind, 'object')
  assert.equal((await lines('pin/ls', [], { stream: true })).length, 2)
})

test('pin/update keeps the old pin while the new content is not all here', async (t) => {
  const { add, value, lines } = createFileCommands(t)
  const a = await add('a', 'aaa')
  const missing = 'Qme8uX5n9hn15pw9p6WcVKoziyyC9LXv4LEgvsmKMULjnV'
  await assert.rejects(value('pin/update', [a, missing]), /ipld: could not find/)
  assert.deepEqual(await lines('pin/ls', [], { stream: true }), [{ Cid: a, Type: 'recursive' }])
})

test('block/put prints a CID in the requested base; the other commands print it unchanged', async (t) => {
  const { lines, value, bytes } = createFileCommands(t)
  const base = { 'cid-base': 'base36', 'upgrade-cidv0-in-output': true }
  const [put] = (await lines('block/put', [], { ...base, format: 'v0' }, [
    fileEntry('x', Buffer.from('0a0408021800', 'hex')),
  ])) as { Key: string }[]
  const empty = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'
  assert.equal(put?.Key, 'k2jmtxw57e8q3wevq1yz5usxqabvtnck9ehnqx5hk29iz6otpovk09uu')
  assert.deepEqual(await value('block/stat', [empty], base), { Key: empty, Size: 6 })
  assert.deepEqual(await value('dag/resolve', [empty], base), { Cid: { '/': empty }, RemPath: '' })
  const [stat] = (await lines('dag/stat', [empty], base)) as { DagStats: { Cid: string }[] }[]
  assert.equal(stat?.DagStats[0]?.Cid, empty)
  const car = await bytes('dag/export', [empty], base)
  const [imported] = (await lines('dag/import', [], base, [fileEntry('x', car)])) as {
    Root: { Cid: { '/': string } }
  }[]
  assert.equal(imported?.Root.Cid['/'], empty)
})

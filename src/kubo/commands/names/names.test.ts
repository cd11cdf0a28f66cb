// Commands on IPNS names and on stored keys. Shapes and texts: Kubo 0.43.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileCommands, type Options } from '../../../../test/fakes/files/file-commands.ts'
import {
  bytesOf,
  createFilesFixture,
  fileEntry,
} from '../../../../test/fakes/files/files-fixture.ts'
import { hourMs, newSigner } from '../../../../test/fakes/files/names-fixture.ts'
import { createTestNames } from '../../../../test/fakes/files/test-names.ts'
import { encodePrivateKey } from '../../../codec/ipld/libp2p-key.ts'
import type { CommandReply } from '../../kubo-command.ts'
import { goDuration, hexDump } from '../../replies/go-text.ts'
import { createKeyGen } from './key_gen.ts'

type Commands = ReturnType<typeof createFileCommands>
type Published = { readonly Name: string; readonly Value: string }

const textOf = (reply: CommandReply) =>
  reply.kind === 'object' ? reply.text?.(reply.value) : assert.fail('no object')

async function put({ value }: Commands, name: string, bytes: Uint8Array, options: Options = {}) {
  return await value('name/put', [name], options, [fileEntry('record', bytes)])
}

test('name/put stores a record that name/get gives and every path command follows', async (t) => {
  const commands = createFileCommands(t)
  const { add, value, bytes, cat, clock, run } = commands
  const file = await add('a.txt', 'stone')
  const { name, sign } = newSigner()
  const record = sign(`/ipfs/${file}`, 3n, clock.now() + hourMs)
  assert.deepEqual(await put(commands, name.text, record), {
    Name: name.text,
    Value: `/ipfs/${file}`,
  })
  assert.deepEqual(await put(commands, `/ipns/${name.text}`, record), {
    Name: name.text,
    Value: `/ipfs/${file}`,
  })
  const got = await run('name/get', [name.text])
  assert.ok(got.kind === 'bytes')
  assert.equal(got.type, 'application/vnd.ipfs.ipns-record')
  assert.deepEqual(await bytesOf(got.chunks), Buffer.from(record))
  const path = `/ipns/${name.text}`
  assert.deepEqual(await value('name/resolve', [name.text]), { Path: `/ipfs/${file}` })
  assert.deepEqual(await value('resolve', [path]), { Path: `/ipfs/${file}` })
  assert.deepEqual(await cat([path]), ['stone', 5n])
  assert.deepEqual(await cat([`ipns://${name.text}`], { offline: true }), ['stone', 5n])
  assert.equal(((await value('block/stat', [path])) as { Key: string }).Key, file)
  assert.equal(((await value('dag/resolve', [path])) as { Cid: { '/': string } }).Cid['/'], file)
  assert.ok((await bytes('get', [path])).includes(Buffer.from('stone')))
  await assert.rejects(value('cat', [`/ipns/${newSigner().name.text}`]), {
    message: 'could not resolve name',
  })
})

test('name/put refuses records in the words of Kubo', async (t) => {
  const commands = createFileCommands(t)
  const { clock, value } = commands
  const { name, sign } = newSigner()
  const end = clock.now() + hourMs
  await put(commands, name.text, sign('/ipfs/bafkqaaa', 3n, end))
  const later = sign('/ipfs/bafkqabi', 3n, end + 1000)
  await assert.rejects(put(commands, name.text, later), {
    message: 'existing IPNS record has sequence 3 >= new record sequence 3',
  })
  await put(commands, name.text, later, { force: true })
  await assert.rejects(
    put(commands, 'nothing', later),
    /^Fault: invalid IPNS name|invalid IPNS name/,
  )
  await assert.rejects(put(commands, name.text, new Uint8Array(0)), { message: 'record is empty' })
  await assert.rejects(put(commands, name.text, new Uint8Array(20_000)), {
    message: 'record exceeds maximum size of 10240 bytes',
  })
  await assert.rejects(put(commands, newSigner().name.text, later), { code: 'command_failed' })
  await assert.rejects(value('name/put', [name.text], {}, []), {
    message: "file argument 'record' is required",
  })
})

test('name/resolve takes DNS names, one step and streams, and refuses what is no name', async (t) => {
  const dns = new Map([
    ['_dnslink.a.example', { texts: ['dnslink=/ipns/b.example/x'], ttlMs: null }],
    ['_dnslink.b.example', { texts: ['dnslink=/ipfs/bafkqaaa'], ttlMs: null }],
  ])
  const { value, lines, run } = createFileCommands(t, { dns })
  assert.deepEqual(await value('name/resolve', ['a.example']), { Path: '/ipfs/bafkqaaa/x' })
  assert.deepEqual(await value('name/resolve', ['/ipns/a.example/y'], { recursive: false }), {
    Path: '/ipns/b.example/x/y',
  })
  assert.deepEqual(await lines('name/resolve', ['b.example'], { stream: true }), [
    { Path: '/ipfs/bafkqaaa' },
  ])
  assert.equal(textOf(await run('name/resolve', ['b.example'])), '/ipfs/bafkqaaa\n')
  await assert.rejects(value('name/resolve', ['/ipfs/bafkqaaa']), {
    message: '"/ipfs/bafkqaaa" is not an IPNS name',
  })
  await assert.rejects(value('name/resolve', ['a.example'], { 'dht-timeout': 'x' }), {
    message: 'time: invalid duration "x"',
  })
  await assert.rejects(value('name/resolve', ['a.example'], { 'dht-timeout': '-1s' }), {
    message: 'DHT timeout value must be >= 0',
  })
})

test('name/inspect shows a record, and verifies it with a name', async (t) => {
  const { value, run, clock } = createFileCommands(t)
  const { name, sign } = newSigner()
  const record = sign('/ipfs/bafkqaaa', 7n, clock.now() + hourMs, 90_000)
  const inspect = async (options: Options = {}) =>
    (await value('name/inspect', [], options, [fileEntry('r', record)])) as {
      Entry: Record<string, unknown>
      HexDump: string
      SignatureType: string
      PbSize: number
      Validation: unknown
    }
  const shown = await inspect()
  assert.deepEqual(shown.Entry, {
    Value: '/ipfs/bafkqaaa',
    ValidityType: 0,
    Validity: '2026-01-01T01:00:00.000Z',
    Sequence: 7n,
    TTL: 90_000_000_000n,
  })
  assert.deepEqual([shown.SignatureType, shown.PbSize], ['V1+V2', record.length])
  assert.equal(shown.Validation, null)
  assert.match(shown.HexDump, /^00000000 {2}0a 0e /)
  const own = await inspect({ verify: name.text, dump: false })
  assert.deepEqual(own.Validation, { Valid: true, Reason: '', Name: name.text })
  assert.equal(own.HexDump, '')
  const other = newSigner().name.text
  const wrong = (await inspect({ verify: other })).Validation as { Valid: boolean; Reason: string }
  assert.equal(wrong.Valid, false)
  assert.match(wrong.Reason, /signature/)
  const options = { dump: false, verify: name.text }
  const text = textOf(await run('name/inspect', [], options, [fileEntry('r', record)]))
  assert.match(text ?? '', /^Value: +"\/ipfs\/bafkqaaa"\n[\s\S]*TTL: +1m30s\n[\s\S]*Valid: +true\n/)
})

test('name/publish signs with the key self or a named one, and its name resolves', async (t) => {
  const { add, value, run, ipns } = createFileCommands(t)
  const file = await add('a.txt', 'stone')
  const publish = async (options: Options = {}, path = file) =>
    (await value('name/publish', [path], options)) as Published
  await assert.rejects(value('name/resolve'), { message: 'could not resolve name' })
  const own = await publish()
  assert.match(own.Name, /^k51/)
  assert.equal(own.Value, `/ipfs/${file}`)
  assert.deepEqual(await value('name/resolve'), { Path: `/ipfs/${file}` })
  const { Id } = (await value('key/gen', ['site'])) as { Id: string }
  const named = await publish(
    { key: 'site', ttl: '1m', lifetime: '2h', sequence: 9n },
    `/ipfs/${file}`,
  )
  assert.equal(named.Name, Id)
  const inside = await value('name/resolve', [`/ipns/${Id}`])
  assert.deepEqual(inside, { Path: `/ipfs/${file}` })
  const chained = await publish(
    { key: 'site', 'ipns-base': 'b58mh', resolve: false },
    `/ipns/${own.Name}`,
  )
  assert.match(chained.Name, /^12D3Koo/)
  assert.equal(chained.Value, `/ipns/${own.Name}`)
  assert.deepEqual(await value('name/resolve', [Id]), { Path: `/ipfs/${file}` })
  const text = textOf(await run('name/publish', [file]))
  assert.equal(text, `Published to ${own.Name}: /ipfs/${file}\n`)
  const quiet = textOf(await run('name/publish', [file], { quieter: true, 'ipns-base': 'base32' }))
  assert.match(quiet ?? '', /^bafz.*\n$/)
  assert.equal((await ipns.keys().list('alice')).length, 2)
  assert.equal((await ipns.keys().list('bob')).length, 0)
})

test('name/publish refuses times and paths in the words of Kubo', async (t) => {
  const { value } = createFileCommands(t)
  const refused: [Options, string, string][] = [
    [{ lifetime: '0s' }, 'bafkqaaa', 'lifetime must be greater than zero, got 0s'],
    [{ ttl: '-1s' }, 'bafkqaaa', 'ttl must not be negative, got -1s'],
    [
      { ttl: '3h', lifetime: '2h' },
      'bafkqaaa',
      'ttl (3h0m0s) must not be greater than lifetime (2h0m0s)',
    ],
    [
      { 'allow-offline': true, 'allow-delegated': true },
      'bafkqaaa',
      'cannot use both --allow-offline and --allow-delegated flags',
    ],
    [{ key: 'nothing' }, 'bafkqaaa', 'no key by the given name or PeerID was found'],
    [{}, 'nothing', 'invalid path "nothing": path does not have enough components'],
    [{ sequence: 0n, key: 'self', resolve: false }, 'bafkqaaa', ''],
  ]
  for (const [options, path, message] of refused) {
    if (message === '') await value('name/publish', [path], options)
    else await assert.rejects(value('name/publish', [path], options), { message }, message)
  }
  await assert.rejects(value('name/publish', ['bafkqaaa'], { sequence: 0n }), {
    message: 'sequence number must be greater than the current record sequence',
  })
})

test('keys are made, listed, renamed, removed and imported in the shapes of Kubo', async (t) => {
  const { value, run } = createFileCommands(t)
  assert.deepEqual(await value('key/list'), { Keys: [] })
  const a = (await value('key/gen', ['a'])) as { Name: string; Id: string }
  assert.equal(a.Name, 'a')
  assert.match(a.Id, /^k51/)
  assert.deepEqual(await value('key/ls'), { Keys: [a] })
  const long = textOf(await run('key/list', [], { l: true }))
  assert.equal(long, `${a.Id} a \n`)
  assert.deepEqual(await value('key/rename', ['a', 'b']), {
    Was: 'a',
    Now: 'b',
    Id: a.Id,
    Overwrite: false,
  })
  const signer = newSigner()
  const importKey = (bytes: Uint8Array | string, options: Options = {}) =>
    value('key/import', ['brought'], options, [fileEntry('key', bytes)])
  const imported = { Name: 'brought', Id: signer.name.text }
  assert.deepEqual(await importKey(encodePrivateKey(signer.key)), imported)
  assert.deepEqual(await value('key/rm', ['brought', 'b']), {
    Keys: [imported, { Name: 'b', Id: a.Id }],
  })
  const pem = signer.key.export({ type: 'pkcs8', format: 'pem' }).toString()
  assert.deepEqual(await importKey(pem, { format: 'pem-pkcs8-cleartext' }), imported)
  await assert.rejects(importKey('x', { format: 'pem-pkcs8-cleartext' }), /parsing PKCS8/)
  await assert.rejects(importKey('x', { format: 'other' }), /unrecognized import format: other/)
  await assert.rejects(importKey('x'.repeat(20_000)), /more than 16384 bytes/)
  await assert.rejects(value('key/gen', ['x'], { type: 'rsa' }), { code: 'unsupported_option' })
  await assert.rejects(value('key/gen', ['x'], { type: 'dsa' }), /unrecognized key type: dsa/)
  await assert.rejects(value('key/gen', ['x'], { size: 2048n }), {
    message: 'invalid key size 2048: ed25519 keys are always 256 bits',
  })
  await assert.rejects(value('key/gen', ['self']), /cannot create key with name 'self'/)
  const sent = new URLSearchParams('arg=caf%E9').getAll('arg')
  for (const wrong of [sent, ['a\ud83d'], ['a/b'], ['a\n'], ['']]) {
    await assert.rejects(value('key/gen', wrong), /a key name is 1 to 128 characters of UTF-8/)
    await assert.rejects(value('key/rename', ['b', ...wrong]), /a key name is 1 to 128 characters/)
  }
})

test('without the setting no key is held, and the error names it', async (t) => {
  const { rows, clock } = createFilesFixture(t)
  const { names } = createTestNames(rows, clock)
  const command = createKeyGen({ names, keys: () => null })
  const input = command.parse(
    { args: ['a'], options: new Map(), entries: null, host: '' },
    {} as never,
  )
  await assert.rejects(command.run(input, { caller: { accountId: 'alice' } } as never), {
    code: 'command_failed',
    message: 'this server holds no keys: the operator has not set ipns.keys',
  })
})

test('durations and dumps are written as Go writes them', () => {
  const written: [bigint, string][] = [
    [0n, '0s'],
    [1n, '1ns'],
    [1_500n, '1.5µs'],
    [250_000_000n, '250ms'],
    [90_000_000_000n, '1m30s'],
    [300_000_000_000n, '5m0s'],
    [172_800_000_000_000n, '48h0m0s'],
    [3_600_500_000_000n, '1h0m0.5s'],
  ]
  for (const [ns, text] of written) assert.equal(goDuration(ns), text)
  assert.equal(
    hexDump(Buffer.from('hello, world 12345')),
    '00000000  68 65 6c 6c 6f 2c 20 77  6f 72 6c 64 20 31 32 33  |hello, world 123|\n' +
      `00000010  34 35${' '.repeat(45)}|45|\n`,
  )
})

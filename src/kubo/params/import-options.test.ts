// Promises of the options of file commands: Cairn refuses the same values as Kubo, in the same order and with the same texts, and
// refuses unsupported options by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { optionMap, type Options } from '../../../test/fakes/files/file-commands.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import { importProfiles, type ImportProfileName } from '../../codec/ipld/import-profile.ts'
import { parseChunker, parseImportOptions } from './import-options.ts'
import { cidPrinter } from './file-options.ts'

const parse = (options: Options, profile: ImportProfileName = 'unixfs-v0-2015') =>
  parseImportOptions(optionMap(options), importProfiles[profile])

function refuses(options: Options, message: string, code = 'command_failed'): void {
  assert.throws(() => parse(options), { code, message })
}

test("what Kubo refuses to add is refused in Kubo's order and words", () => {
  // Each set violates its own rule and one that is checked later.
  refuses(
    { 'inline-limit': 129n, 'pin-name': 'x'.repeat(256) },
    'inline-limit 129 exceeds maximum allowed size of 128 bytes',
  )
  refuses({ 'pin-name': 'x'.repeat(256), hash: 'nope' }, 'pin name is 256 bytes (max 255 bytes)')
  refuses(
    { 'preserve-mode': true, 'raw-leaves': true, 'only-hash': true, 'to-files': '/x' },
    "raw-leaves can't be used with UnixFS metadata like mode or modification time",
  )
  refuses({ 'only-hash': true, 'pin-name': 'x' }, 'pin-name option requires pin to be set')
  refuses(
    { 'to-files': '', 'wrap-with-directory': true, hash: 'nope' },
    'wrap-with-directory and to-files options are not compatible',
  )
  refuses({ hash: 'Nope', 'mtime-nsecs': 5n }, 'unrecognized hash function: "Nope"')
  refuses(
    { mtime: 1n, 'mtime-nsecs': 1_000_000_000n },
    'mtime nanoseconds must be in range [1, 999999999]',
  )
  refuses({ 'cid-version': 2n, chunker: 'nope' }, 'unknown CID version: 2')
  refuses(
    { 'max-hamt-fanout': 12n },
    'HAMT fanout must be a power of 2, between 8 and 1024 (got 12)',
  )
})

test('what would change a CID and is not built is refused by name', () => {
  const option = (name: string) => `option "${name}" is not supported by this server`
  const value = (name: string, text: string, expected: string) =>
    `value "${text}" of option "${name}" is not supported by this server: expected ${expected}`
  const links = '2 to 30840'
  const unbuilt: [Options, string][] = [
    [{ nocopy: true }, option('nocopy')],
    [{ 'max-file-links': 1n }, value('max-file-links', '1', links)],
    [{ 'max-file-links': 1_000_000n }, value('max-file-links', '1000000', links)],
    [{ 'inline-limit': -1n }, value('inline-limit', '-1', '0 to 128')],
    [{ chunker: 'rabin-47' }, value('chunker', 'rabin-47', 'an average of at least 48')],
  ]
  for (const [options, message] of unbuilt) refuses(options, message, 'unsupported_option')
})

test('a profile holds where the options say nothing, and nowhere else', () => {
  const modern = parse({}, 'unixfs-v1-2025')
  assert.partialDeepStrictEqual(modern, {
    cidVersion: 1,
    rawLeaves: true,
    chunker: { kind: 'size', bytes: 1_048_576 },
    maxFileLinks: 1024,
    sharding: { linksMax: 0, bytes: 262_144, estimate: 'block', fanout: 256 },
  })
  const options = {
    'cid-version': 0n,
    'raw-leaves': false,
    chunker: 'default',
    'max-file-links': 174n,
  }
  const older = parse(options, 'unixfs-v1-2025')
  assert.deepEqual({ ...older, sharding: null }, { ...parse({}), sharding: null })
  assert.equal(parse({ 'cid-version': 0n }, 'unixfs-v1-2025').rawLeaves, true)
  assert.equal(parse({ mtime: 5n }, 'unixfs-v1-2025').rawLeaves, false)
  const { sharding } = parse({ 'max-directory-links': 5n, 'max-hamt-fanout': 8n })
  assert.deepEqual(sharding, { linksMax: 5, bytes: 262_144, estimate: 'links', fanout: 8 })
})

test('a hash that names no block anywhere is refused, any other may name those of an import', () => {
  for (const hash of ['md5', 'blake2b-128', 'shake-128', 'murmur3-x64-64']) {
    refuses({ hash }, 'potentially insecure hash functions not allowed')
  }
  for (const hash of ['sha1', 'sha3', 'BLAKE3', 'blake2b-256', 'blake2s-160', 'keccak-384']) {
    assert.equal(parse({ hash }).hash, hash.toLowerCase())
    assert.equal(parse({ hash }).cidVersion, 1)
  }
})

test('options decide each other as in Kubo', () => {
  assert.equal(parse({}).rawLeaves, false)
  assert.equal(parse({ 'cid-version': 1n }).rawLeaves, true)
  assert.equal(parse({ 'cid-version': 1n, mtime: 5n }).rawLeaves, false)
  assert.equal(parse({ hash: 'SHA2-512' }).cidVersion, 1)
  assert.equal(parse({ 'only-hash': true }).pin, false)
  assert.equal(parse({ 'max-file-links': 0n }).maxFileLinks, 174)
  assert.equal(parse({ mode: 644n }).mode, 644 & 0o777)
  assert.deepEqual(parse({ mtime: 5n, 'mtime-nsecs': 6n }).mtime, { seconds: 5n, nanos: 6 })
  assert.equal('mode' in parse({ mode: 0n }), false)
  assert.equal(parse({ nocopy: false, trickle: false }).progress, false)
})

test('a chunker is parsed by the whole grammar of Kubo', () => {
  const rabin = { kind: 'rabin', min: 87_381, average: 262_144, max: 393_216 }
  for (const [text, chunker] of [
    ['', { kind: 'size', bytes: 262_144 }],
    ['default', { kind: 'size', bytes: 262_144 }],
    ['size-2096896', { kind: 'size', bytes: 2_096_896 }],
    ['rabin', rabin],
    ['rabin-262144', rabin],
    ['rabin-16-17-18', { kind: 'rabin', min: 16, average: 17, max: 18 }],
    ['rabin-min:128-avg:256-max:512', { kind: 'rabin', min: 128, average: 256, max: 512 }],
    ['buzhash', { kind: 'buzhash' }],
    ['buzhash-whatever', { kind: 'buzhash' }],
  ] as const) {
    assert.deepEqual(parseChunker(text), chunker, text)
  }
  const texts: [string, string][] = [
    ['size-x', 'strconv.Atoi: parsing "x": invalid syntax'],
    ['size-0', 'chunker size must be greater than 0'],
    ['rabin-12-512-1024', 'rabin min must be greater than 16'],
    ['rabin-512-128-1024', 'incorrect format: rabin-min must be smaller than rabin-avg'],
    ['rabin-128-1024-512', 'incorrect format: rabin-avg must be smaller than rabin-max'],
    ['rabin-avg:128-256-512', 'first label must be min'],
    ['rabin-min:128-max:256-512', 'second label must be avg'],
    ['rabin-128-256-min:512', 'final label must be max'],
    ['rabin-1-2', "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'"],
    ['rabin-2000000', 'chunker parameters may not exceed the maximum chunk size of 2096896'],
    ['fixed', 'unrecognized chunker option: fixed'],
  ]
  for (const [text, message] of texts) assert.throws(() => parseChunker(text), { message }, text)
})

test('cid-base rebases v1 and lifts v0, unless an option says otherwise', () => {
  const v0 = CID.parse('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
  const shown = (options: Options) => cidPrinter(optionMap(options))(v0)
  assert.equal(shown({}), v0.toString())
  assert.equal(shown({ 'cid-base': 'base58btc' }), v0.toString())
  assert.equal(shown({ 'cid-base': 'base32' }), v0.toV1().toString())
  const padded = shown({ 'cid-base': 'base32pad' })
  assert.deepEqual([padded[0], parseCid(padded)], ['c', v0.toV1()])
  assert.equal(shown({ 'upgrade-cidv0-in-output': true }), v0.toV1().toString())
  assert.equal(shown({ 'cid-base': 'base32', 'upgrade-cidv0-in-output': false }), v0.toString())
  assert.throws(() => shown({ 'cid-base': 'base3' }), { code: 'command_failed' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOptions, nameOf, parseMetadata } from './upload-metadata.ts'

const pair = (key: string, value: string) => `${key} ${Buffer.from(value).toString('base64')}`

test('keys and values are read, and options typed as those of add', () => {
  const header = [
    pair('filename', 'ü.txt'),
    pair('cid-version', '1'),
    pair('pin', 'false'),
    'empty',
  ]
  const metadata = parseMetadata(header.join(','))
  assert.deepEqual(metadata, { filename: 'ü.txt', 'cid-version': '1', pin: 'false', empty: '' })
  assert.deepEqual(
    [...addOptions(metadata)],
    [
      ['pin', false],
      ['cid-version', 1n],
    ],
  )
  assert.equal(nameOf(metadata), 'ü.txt')
  assert.deepEqual(parseMetadata(undefined), {})
})

test('the pin has the name of the file, unless it is given another one or there is no pin', () => {
  const nameIn = (metadata: Record<string, string>) => addOptions(metadata).get('pin-name')
  assert.equal(nameIn({ filename: 'photos/cat.jpg' }), 'cat.jpg')
  assert.equal(nameIn({ filename: 'cat.jpg', 'pin-name': 'my cat' }), 'my cat')
  assert.equal(nameIn({ filename: 'cat.jpg', pin: 'false' }), undefined)
  assert.equal(nameIn({ filename: 'cat.jpg', 'only-hash': 'true' }), undefined)
  assert.equal(nameIn({ filename: 'c'.repeat(256) }), undefined)
  assert.equal(nameIn({}), undefined)
})

test('a name is its last segment, and leads nowhere', () => {
  assert.equal(nameOf({ filename: '../../etc/passwd' }), 'passwd')
  for (const filename of ['..', '.', 'a/', '']) assert.equal(nameOf({ filename }), '')
  assert.throws(() => nameOf({ filename: 'a\0' }), /NUL/)
})

test('what is malformed is refused', () => {
  for (const header of ['a b c', 'a !', `${pair('a', '1')},${pair('a', '2')}`, ',']) {
    assert.throws(() => parseMetadata(header), /malformed/, header)
  }
  assert.throws(() => parseMetadata('a'.repeat(20_000)), /over 16384/)
  assert.throws(() => addOptions({ 'cid-version': 'x' }), /could not convert value "x"/)
})

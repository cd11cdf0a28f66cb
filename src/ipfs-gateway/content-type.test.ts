import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inertType, isActive, typeOfBytes, typeOfName } from './content-type.ts'

const sniffed = (text: string, isWhole = true) => typeOfBytes(Buffer.from(text, 'latin1'), isWhole)

test('a name tells the type by its last part, in any case', () => {
  assert.equal(typeOfName('a.b.PNG'), 'image/png')
  assert.equal(typeOfName('index.html'), 'text/html; charset=utf-8')
  for (const name of ['png', 'a.', 'a.nope', 'a.png/', '', '.constructor', 'a.__proto__']) {
    assert.equal(typeOfName(name), null, name)
  }
})

test('bytes tell it by how they begin', () => {
  assert.equal(sniffed('\x89PNG\r\n\x1a\n...'), 'image/png')
  assert.equal(sniffed('RIFF....WEBPVP8 '), 'image/webp')
  assert.equal(sniffed('....ftypisom'), 'video/mp4')
  assert.equal(sniffed('....ftypavif'), 'image/avif')
  assert.equal(sniffed('  <!DOCTYPE html>'), 'text/html; charset=utf-8')
  assert.equal(sniffed('<?xml version="1.0"?>\n<!-- x --><svg '), 'image/svg+xml')
  assert.equal(sniffed('<?xml version="1.0"?><rss>'), 'text/xml')
})

test('what reads as text is text, also when its last character is cut, and the rest is bytes', () => {
  assert.equal(typeOfBytes(Buffer.from('häh'), true), 'text/plain; charset=utf-8')
  assert.equal(typeOfBytes(Buffer.from('ab💩').subarray(0, 4), false), 'text/plain; charset=utf-8')
  assert.equal(typeOfBytes(new Uint8Array(0), true), 'text/plain; charset=utf-8')
  assert.equal(sniffed('a\0b'), 'application/octet-stream')
  assert.equal(sniffed('\xff\xfe\xfd'), 'application/octet-stream')
})

test('an object or a list in JSON is JSON, also when it is longer than what is looked at', () => {
  assert.equal(sniffed('{"name":"Stone #1"}\n'), 'application/json')
  assert.equal(sniffed(' [1, 2]'), 'application/json')
  assert.equal(sniffed('{"name":"Sto', false), 'application/json')
  assert.equal(sniffed('{"name":"Sto'), 'text/plain; charset=utf-8')
  assert.equal(sniffed('[section]\nkey = value', false), 'text/plain; charset=utf-8')
  assert.equal(sniffed('17'), 'text/plain; charset=utf-8')
})

test('a type that a page can run or be laid out by has one that it can not', () => {
  for (const name of ['a.js', 'a.mjs', 'a.css']) {
    assert.equal(inertType(typeOfName(name) ?? ''), 'text/plain; charset=utf-8', name)
  }
  assert.equal(inertType('application/wasm'), 'application/octet-stream')
  assert.equal(inertType('image/png'), 'image/png')
})

test('types that a browser lays out or runs are known as such', () => {
  for (const type of ['text/html; charset=utf-8', 'image/svg+xml', 'text/xml', 'application/pdf']) {
    assert.equal(isActive(type), true, type)
  }
  for (const type of ['text/plain; charset=utf-8', 'image/png', 'application/json']) {
    assert.equal(isActive(type), false, type)
  }
})

test('a beginning of blanks or openings alone is classified in time', () => {
  assert.equal(sniffed(' '.repeat(512)), 'text/plain; charset=utf-8')
  assert.equal(sniffed('<!--'.repeat(128)), 'text/plain; charset=utf-8')
})

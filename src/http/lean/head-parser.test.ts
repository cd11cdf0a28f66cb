import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createHeadParser, headBytesMax } from './head-parser.ts'

const parse = createHeadParser()
const head = 'POST /v3/key?a HTTP/1.1\r\nHost: a\r\nEmpty:\r\nContent-Length: 2 \r\n\r\n'

function read(text: string) {
  return parse(Buffer.from(text, 'latin1'))
}

test('a whole head is read: method, version, target, names and values, and where the body begins', () => {
  const parsed = read(`${head}{}`)
  ok(parsed !== null)
  equal(parsed.end, head.length)
  deepEqual([parsed.method, parsed.major, parsed.minor, parsed.keepAlive], [3, 1, 1, true])
  equal(head.slice(...parsed.url), '/v3/key?a')
  const { spans } = parsed
  const texts = Array.from({ length: spans.length / 2 }, (_, at) =>
    head.slice(spans[at * 2], spans[at * 2 + 1]),
  )
  deepEqual(texts, ['Host', 'a', 'Empty', '', 'Content-Length', '2 '])
})

test('a head that is not there whole is not read, wherever it ends', () => {
  for (let length = 0; length < head.length; length++) equal(read(head.slice(0, length)), null)
  ok(read(head) !== null, 'and nothing of it stays behind')
})

test('what follows the body is not looked at', () => {
  equal(read(`${head}{}\0\0garbage`)?.end, head.length)
})

test('a head that must be refused is not read', () => {
  const broken: Readonly<Record<string, string>> = {
    'a length and chunks': head.replace('Empty:', 'Transfer-Encoding: chunked'),
    'two lengths': head.replace('Empty:', 'Content-Length: 2'),
    'a signed length': head.replace(': 2 ', ': +2'),
    'a blank before the colon': head.replace('Host:', 'Host :'),
    'bare line feeds': head.replaceAll('\r\n', '\n'),
    'a folded header': head.replace('Empty:', 'X: a\r\n b'),
    'a bare carriage return': head.replace('Empty:', 'X: a\rb'),
    'NUL in a value': head.replace('Empty:', 'X: a\0b'),
    'an unknown method': head.replace('POST', 'FOO'),
    'HTTP/1.2': head.replace('1.1', '1.2'),
  }
  for (const [name, text] of Object.entries(broken)) equal(read(`${text}{}`), null, name)
})

test('a head is read up to 8 KiB and 64 headers', () => {
  const padded = (bytes: number) => head.replace('Empty:', `X: ${'x'.repeat(bytes)}`)
  const room = headBytesMax - padded(0).length
  equal(read(padded(room))?.end, headBytesMax)
  equal(read(padded(room + 1)), null)
  const many = (count: number) => head.replace('Empty:\r\n', 'X: 1\r\n'.repeat(count))
  ok(read(many(62)) !== null)
  equal(read(many(63)), null)
})

test('what the Connection header says is known', () => {
  equal(read(head.replace('Empty:', 'Connection: close'))?.keepAlive, false)
  equal(read(head.replace('Empty:', 'Connection: x, close'))?.keepAlive, false)
  equal(read(head.replace('Empty:', 'Connection: keep-alive'))?.keepAlive, true)
})

import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createHeadParser, createPlainHeads, plainBodyBytesMax } from './head-parser.ts'

const readHead = createPlainHeads(createHeadParser())
const head =
  'POST /mainnet/v3/some_key?x HTTP/1.1\r\nHost: Main.Example:80\r\nContent-Length: 2\r\nX: 1\r\n\r\n'

function read(text: string) {
  return readHead(Buffer.from(text, 'latin1'))
}

test('a call as clients send it is plain', () => {
  const plain = read(
    head.replace(
      'X: 1',
      'content-type: application/json\r\nORIGIN: \thttps://a.example\t \r\nX: 1',
    ),
  )
  ok(plain !== null)
  equal(plain.bodyBytes, 2)
  equal(plain.keepAlive, true)
  deepEqual(plain.target, { path: '/mainnet/v3/some_key', query: 'x', hostLabel: 'main' })
  deepEqual(plain.rpcPath, { network: 'mainnet', webSocket: false, key: 'some_key' })
  equal(plain.headers['content-type'], 'application/json')
  equal(plain.headers.origin, 'https://a.example')
  equal(plain.headers.authorization, undefined)
})

test('letters beyond ASCII are read as node:http reads them', () => {
  equal(read(head.replace('X: 1', 'User-Agent: \xe9\xa0'))?.headers['user-agent'], '\xe9\xa0')
})

test('a head with more needs, repeated headers or another target is not plain', () => {
  const others: Readonly<Record<string, string>> = {
    'another method': head.replace('POST', 'PUT'),
    'an empty line in front': `\r\n${head}`,
    'HTTP/1.0': head.replace('HTTP/1.1', 'HTTP/1.0'),
    'no length': head.replace('Content-Length: 2\r\n', ''),
    'a length with zeros in front': head.replace(': 2', ': 02'),
    'no Host': head.replace('Host: Main.Example:80\r\n', ''),
    'two Hosts': head.replace('X: 1', 'Host: Main.Example:80'),
    'a malformed Host': head.replace('Main.Example', 'a b'),
    'two Authorizations': head.replace('X: 1', 'Authorization: a\r\nAuthorization: a'),
    'two request ids': head.replace('X: 1', 'X-Request-Id: a\r\nX-Request-Id: b'),
    'an encoding': head.replace('X: 1', 'Transfer-Encoding: identity'),
    'an expectation': head.replace('X: 1', 'Expect: 100-continue'),
    'an upgrade': head.replace('X: 1', 'Connection: Upgrade\r\nUpgrade: websocket'),
    'a target of another authority': head.replace('/mainnet', 'http://b/mainnet'),
    'a WebSocket path': head.replace('/v3/', '/ws/v3/'),
    'a page': head.replace('/mainnet/v3/some_key', '/livez'),
    'a file command': head.replace('/mainnet/v3/some_key', '/api/v0/add'),
  }
  for (const [name, text] of Object.entries(others)) equal(read(text), null, name)
})

test('a body is plain up to 64 KiB', () => {
  equal(read(head.replace(': 2', `: ${plainBodyBytesMax}`))?.bodyBytes, plainBodyBytesMax)
  equal(read(head.replace(': 2', `: ${plainBodyBytesMax + 1}`)), null)
})

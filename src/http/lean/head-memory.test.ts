import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { type PlainHead, createHeadParser, createPlainHeads, rememberHeads } from './head-parser.ts'

const readPlain = createPlainHeads(createHeadParser())

/** Enough requests for a head to be cached. */
const often = 100

function createReader() {
  let reads = 0
  const readHead = rememberHeads((bytes) => {
    reads += 1
    return readPlain(bytes)
  })
  return {
    read: (text: string): PlainHead | null => readHead(Buffer.from(text, 'latin1')),
    get reads() {
      return reads
    },
  }
}

function headOf(path: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n${headers}\r\n`
}

test('a head that comes often is read a few times only, and means what it meant at first', () => {
  const reader = createReader()
  const paths = ['/v3/first_key', '/v3/other_key', '/sepolia/v3/first_key']
  for (let time = 0; time < often; time++) {
    for (const path of paths) {
      const head = headOf(path)
      deepEqual(reader.read(`${head}{}`), readPlain(Buffer.from(head)))
    }
  }
  const before = reader.reads
  for (const path of paths) {
    deepEqual(reader.read(`${headOf(path)}and other bytes`)?.target.path, path)
  }
  equal(reader.reads, before)
})

test('a head that differs in one byte is another head', () => {
  const reader = createReader()
  for (let time = 0; time < often; time++) reader.read(headOf('/v3/first_key', 'X: 1\r\n'))
  const before = reader.reads
  equal(reader.read(headOf('/v3/first_kez', 'X: 1\r\n'))?.target.path, '/v3/first_kez')
  equal(reader.reads, before + 1)
})

test('a head with a secret, a long one and one that is not plain are read every time', () => {
  const secret = headOf('/v3/first_key', 'Authorization: Basic OnNlY3JldA==\r\n')
  const long = headOf('/v3/first_key', `X: ${'x'.repeat(1_100)}\r\n`)
  const page = headOf('/livez')
  const cut = headOf('/v3/first_key').slice(0, -2)
  for (const text of [secret, long, page, cut]) {
    const reader = createReader()
    for (let time = 0; time < often; time++) reader.read(text)
    equal(reader.reads, often, text)
  }
  equal(createReader().read(page), null)
  notEqual(createReader().read(secret), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJsonText } from './json-prefix.ts'

const documents = [
  '{}',
  ' [ ] \n',
  '{"a":1}',
  '[1,-2.5e+10,true,false,null,"x\\u00e9\\"\\\\",{"b":[{}]}]',
  '\n{ "name" : "Stone", "tags" : [ ], "size" : { "w" : 0 } }\r\n',
  JSON.stringify({ name: 'Stone #1', image: 'ipfs://x', attributes: [{ value: 1.5 }] }, null, 2),
]

test('objects and lists are JSON, and so is every beginning of one that is cut', () => {
  for (const document of documents) {
    assert.ok(isJsonText(document, true), document)
    const start = document.search(/[[{]/)
    for (let length = start + 1; length <= document.length; length += 1) {
      assert.ok(isJsonText(document.slice(0, length), false), document.slice(0, length))
    }
  }
})

test('a document that is not whole is none', () => {
  for (const document of documents) {
    const end = document.trimEnd().length
    for (let length = 0; length < end; length += 1) {
      assert.ok(!isJsonText(document.slice(0, length), true), document.slice(0, length))
    }
  }
})

test('other texts are not JSON, neither whole nor cut', () => {
  const texts = [
    '1',
    '"text"',
    'null',
    'hello',
    '[section]\nkey = value',
    '{ color: red }',
    '{\\bf bold}',
    "{'a':1}",
    '[1 2',
    '[1,,2',
    '{"a" 1',
    '{"a":1}{"b":2}',
    '{"a":1} and more',
    '{,',
    '[}',
    '{]',
    '{"a":}',
    '[01',
    '[tru,',
    '["a\nb"',
    '["\\x"',
    '{1:2',
  ]
  for (const text of texts) {
    for (const isWhole of [true, false]) assert.ok(!isJsonText(text, isWhole), text)
  }
})

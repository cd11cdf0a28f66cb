import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFakeGateway } from '../../../test/fakes/files/file-source.ts'
import type { SourceConfig } from '../../config/source-schema.ts'
import { querySources } from '../query-sources.ts'
import { checkSources } from './source-checks.ts'

function source(name: string, url: string, headers = {}): SourceConfig {
  const limits = { concurrency: 1, timeoutMs: 2000, blockBytesMax: 2_097_152 }
  return { name, url, speaks: 'gateway', headers, ...limits }
}

test('a source that gives no blocks is a problem that says why', async (t) => {
  const well = await startFakeGateway(t, new Map())
  const login = await startFakeGateway(t, new Map(), { manner: 'page' })
  const fileSources = [
    source('well', well.url),
    source('login', login.url),
    source('gone', 'http://127.0.0.1:1'),
  ]
  const queried = await querySources({ fileSources })
  assert.deepEqual(
    queried.map(({ name, failure }) => [name, failure]),
    [
      ['well', null],
      ['login', 'the gateway returned a page instead of a block'],
      ['gone', 'ECONNREFUSED'],
    ],
  )
  const problems = [...checkSources({ fileSources }, queried)]
  assert.deepEqual(
    problems.map(({ code, level, text }) => [code, level, text]),
    [
      [
        'source_silent',
        'problem',
        'file source login supplies no blocks: the gateway returned a page instead of a block',
      ],
      ['source_silent', 'problem', 'file source gone supplies no blocks: ECONNREFUSED'],
    ],
  )
})

test('unencrypted credentials of a source are a problem, except on loopback', () => {
  const fileSources = [
    source('a', 'http://key:word@other.example'),
    source('b', 'http://other.example', { authorization: 'x' }),
    source('c', 'https://key:word@other.example'),
    source('d', 'http://key:word@127.0.0.1:80'),
    source('e', 'http://[::1]:80', { authorization: 'x' }),
    source('f', 'http://other.example'),
  ]
  const queried = fileSources.map(({ name }) => ({ name, failure: null, ms: 1 }))
  const problems = [...checkSources({ fileSources }, queried)]
  assert.ok(problems.every(({ code }) => code === 'source_in_clear'))
  assert.deepEqual(
    problems.map(({ text }) => /source (\w) are sent/.exec(text)?.[1]),
    ['a', 'b'],
  )
})

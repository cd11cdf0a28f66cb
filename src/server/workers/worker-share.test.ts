// The requests that a worker answers, and the paths of the keeper's sockets.
import { deepEqual, equal, throws } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../../config/config.ts'
import { parseTarget } from '../../http/request-head.ts'
import { parseRpcPath } from '../../http/routes.ts'
import { keeperPaths } from './role.ts'
import { createWorkerShare } from './worker-share.ts'

const upstream = (name: string) => ({
  name,
  chainId: 1,
  upstreams: [{ url: 'http://127.0.0.1:1', trusted: true }],
})

/** The first network is the default. */
async function shareOf(t: TestContext, networks: readonly object[], opened: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'settings.yaml')
  await writeFile(file, JSON.stringify({ networks }))
  const { config } = await loadConfig({ file, env: {}, flags: {} })
  return createWorkerShare({
    settings: () => config,
    opened: () => opened.map((name) => ({ name })),
    isInspected: (key) => key === 'inspected',
  })
}

type Share = Awaited<ReturnType<typeof shareOf>>

function serves(share: Share, path: string, host = 'localhost'): boolean {
  const target = parseTarget(path, host)
  const rpcPath = parseRpcPath(path)
  if (typeof target === 'string' || rpcPath === null) throw new TypeError(path)
  return share.serves({ target, rpcPath })
}

test('a worker answers calls of networks behind upstreams', async (t) => {
  const share = await shareOf(
    t,
    [upstream('mainnet'), upstream('sepolia'), { name: 'dev', embedded: true }],
    ['mainnet'],
  )
  deepEqual(
    [
      serves(share, '/v3/key'),
      serves(share, '/mainnet/v3/key'),
      serves(share, '/v3/key', 'mainnet.example.org:8545'),
      serves(share, '/v3/inspected'),
      serves(share, '/dev/v3/key'),
      serves(share, '/v3/key', 'dev.example.org'),
      // This network is not open yet.
      serves(share, '/sepolia/v3/key'),
      // The keeper answers with the error.
      serves(share, '/nowhere/v3/key'),
      serves(share, '/dev/v3/key', 'mainnet.example.org'),
    ],
    [true, true, true, false, false, false, false, false, false],
  )
})

test('calls without a network are for the embedded chain, if it is the default', async (t) => {
  const share = await shareOf(
    t,
    [{ name: 'dev', embedded: true }, upstream('mainnet')],
    ['mainnet'],
  )
  equal(serves(share, '/v3/key'), false)
  equal(serves(share, '/mainnet/v3/key'), true)
})

test('other requests are known by their first bytes', async (t) => {
  const share = await shareOf(t, [upstream('mainnet')], ['mainnet'])
  const accepts = (head: string): boolean => share.accepts(Buffer.from(head))
  const host = 'Host: a\r\n\r\n'
  deepEqual(
    [
      accepts(`OPTIONS /v3/key HTTP/1.1\r\n${host}`),
      accepts(`GET /ws/v3/key HTTP/1.1\r\nX: y\r\n${host}`),
      accepts(`POST /v3/key?proof=1 HTTP/1.1\r\n${host}{}`),
      accepts(`POST /v3/inspected HTTP/1.1\r\n${host}{}`),
      accepts(`POST /api/v0/version HTTP/1.1\r\n${host}`),
      accepts(`GET /livez HTTP/1.1\r\n${host}`),
      accepts(`POST /v3/key HTTP/1.1\r\nHost: a b\r\n\r\n`),
      // The head is incomplete.
      accepts('POST /v3/key HTTP/1.1\r\nHost: a'),
      accepts('no request\r\n\r\n'),
      accepts(''),
    ],
    [true, true, true, false, false, false, false, false, false, false],
  )
})

test('a data folder whose path is too long for a socket is refused', () => {
  equal(keeperPaths('/data').links, '/data/keeper.link')
  throws(
    () => keeperPaths(`/${'x'.repeat(100)}`),
    /^Error: workers: the path of the data folder is too long for a socket in it \(.*: 113 bytes, at most 107\): choose a shorter dataDir/,
  )
})

// `cairn doctor --dropin`: compares this server with another JSON-RPC endpoint, a real one and one with planted differences.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test, type TestContext } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { type CairnWithUpstreams, startBehind } from '../behind-upstreams.ts'
import { bin, type Started, startCairn } from '../started-server.ts'
import { engineChainId, startAnvilUpstream } from '../upstream/engine-upstream.ts'

type Result = {
  readonly probe: string
  readonly verdict: string
  readonly differences: readonly string[]
  readonly explanation: { readonly text: string; readonly section: string } | null
}
type Report = Readonly<Record<'compared' | 'same' | 'different' | 'unexplained', number>> & {
  readonly results: readonly Result[]
}
type Ended = { readonly code: number; readonly out: string; readonly err: string }

/** Runs the command in this process. */
async function doctor(env: Record<string, string>, ...args: readonly string[]): Promise<Ended> {
  let out = ''
  let err = ''
  const code = await runProgram(['doctor', ...args], {
    out: (piece) => (out += piece),
    err: (piece) => (err += piece),
    readInput: async () => '',
    env,
  })
  return { code, out, err }
}

function compare(server: Started, other: string, ...args: readonly string[]): Promise<Ended> {
  const env = { THEIRS: other, CAIRN_KEY: server.apiKey, CAIRN_URL: server.url }
  return doctor(env, '--dropin', '${env:THEIRS}', ...args)
}

function reportOf({ out, err }: Ended): Report {
  assert.notEqual(out, '', err)
  return JSON.parse(out) as Report
}

/** A server with some blocks, and one that serves the same chain through it. */
let theirs: Started
let ours: CairnWithUpstreams
const opened = new AsyncDisposableStack()
before(async () => {
  theirs = await startCairn()
  opened.defer(async () => void (await theirs.stop()))
  await theirs.rpc('hardhat_mine', ['0x4'])
  const upstream = { url: `${theirs.url}/v3/${theirs.apiKey}`, trusted: true }
  const owner = { after: (end: () => Promise<void>) => opened.defer(end) }
  ours = await startBehind(owner, [upstream], { chainId: 1337 })
})
after(() => opened.disposeAsync())

test('a Cairn in front of another Cairn answers the same', async () => {
  const ended = await compare(ours, `${theirs.url}/v3/${theirs.apiKey}`, '--json')
  const report = reportOf(ended)
  const others = report.results.filter(({ verdict }) => verdict !== 'same' && verdict !== 'none')
  // The other server's key permits development accounts, which it lists.
  assert.deepEqual(
    others.map(({ probe, explanation }) => [probe, explanation?.section]),
    [['eth_accounts', 'refusals-and-limits']],
  )
  assert.ok(report.same > 60)
  assert.equal(ended.code, 0)
})

type Planted = (
  method: string,
  reply: string,
) => string | { readonly status: number; readonly retryAfter: string } | null

/** An endpoint with a key in its path: replies of `target`, changed by `plant`; null: closes the connection. */
async function startStub(t: TestContext, target: string, plant: Planted): Promise<string> {
  const stub = createServer((request, response) => {
    void text(request).then(async (body) => {
      const sent = await fetch(target, {
        method: request.method ?? '',
        headers: request.headers as Record<string, string>,
        ...(body === '' && request.method !== 'POST' ? {} : { body }),
      })
      const planted = plant(/"method":"(\w+)"/.exec(body)?.[1] ?? '', await sent.text())
      if (planted === null) return response.destroy()
      if (typeof planted !== 'string') {
        return response.writeHead(planted.status, { 'retry-after': planted.retryAfter }).end()
      }
      const headers = Object.fromEntries(sent.headers)
      delete headers['content-length']
      delete headers['access-control-allow-origin']
      delete headers['connection']
      return response.writeHead(sent.status, headers).end(planted)
    })
  })
  t.after(() => {
    stub.close()
    stub.closeAllConnections()
  })
  await once(stub.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(stub.address() as AddressInfo).port}/their-secret-key`
}

const error = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } })

test('planted differences are found, each with what differs, and no output contains a key', async (t) => {
  let refusals = 0
  const url = await startStub(t, `${theirs.url}/v3/${theirs.apiKey}`, (method, reply) => {
    const isSha3 = method === 'web3_sha3' && refusals++ === 0
    if (method === 'net_version' || isSha3) return { status: 429, retryAfter: '0' }
    if (method === 'eth_getBalance') return reply.replace('"result":"0x', '"result":"0x7')
    if (method === 'eth_getCode') return '{"jsonrpc":"2.0","id":1,"result":null}'
    if (method === 'eth_feeHistory') return error(-32601, 'no such method for their-secret-key')
    if (method === 'eth_doesNotExist') return error(-32600, 'unknown key their-secret-key')
    // One difference that a rule explains, and one that no rule explains.
    if (method === 'eth_getBlockByHash') {
      return reply
        .replace('"stateRoot":"0x', '"totalDifficulty":"0x0","stateRoot":"0x7')
        .replace(/("stateRoot":"0x.{64})./, '$1')
    }
    if (method === 'eth_getBlockByNumber') {
      return reply.replace('"stateRoot":', '"totalDifficulty":"0x0","stateRoot":')
    }
    if (method === 'eth_getTransactionCount') return reply.replace('"0x', '"0x7')
    return method === 'eth_getBlockReceipts' ? null : reply
  })

  const ended = await compare(ours, url, '--json')
  assert.equal(ended.code, 1)
  const report = reportOf(ended)
  const found = (probe: string) => report.results.find((one) => one.probe === probe)
  assert.equal(found('eth_getBalance')?.verdict, 'different')
  assert.match(found('eth_getBalance')?.differences[0] ?? '', /^result: theirs "0x7.*, ours "0x/)
  assert.equal(found('eth_getCode')?.verdict, 'different')
  assert.equal(found('eth_feeHistory')?.verdict, 'more')
  assert.equal(found('eth_doesNotExist: an unknown method')?.verdict, 'different')
  assert.equal(found('web3_sha3')?.verdict, 'same', 'repeated after the pause')
  assert.match(found('net_version')?.differences[0] ?? '', /rate limit/)
  assert.equal(found('eth_getBlockReceipts')?.verdict, 'none')
  assert.equal(found('eth_getBlockByHash')?.explanation, null, 'the state root is wrong too')
  assert.match(found('eth_getBlockByNumber')?.explanation?.text ?? '', /totalDifficulty never/)
  assert.equal(found('eth_getTransactionCount')?.explanation, null)
  assert.match(found('eth_feeHistory')?.differences[0] ?? '', /for <redacted>/)
  const cors = found('a request of a page')
  assert.equal(cors?.verdict, 'more')
  assert.match(cors?.explanation?.text ?? '', /every origin/)

  const shown = await compare(ours, url)
  assert.match(shown.out, /different +eth_getCode\n +result: theirs null, ours "0x/)
  assert.match(
    shown.out,
    /\d+ of \d+ answers are the same; .* \d+ of them without a documented reason/,
  )
  for (const { out, err } of [ended, shown]) {
    assert.doesNotMatch(out + err, /their-secret-key/)
    assert.equal((out + err).includes(ours.apiKey), false)
  }
})

test('beside anvil every difference is named, and the sections of reasons exist', async (t) => {
  const anvil = await startAnvilUpstream(t)
  if (anvil === null) return t.skip('anvil is not installed')
  const behind = await startBehind(t, [{ url: anvil.url, trusted: true }], {
    chainId: engineChainId,
  })
  const report = reportOf(await compare(behind, anvil.url, '--json'))
  assert.ok(report.same > 30, String(report.same))
  const guide = await readFile(
    new URL('../../docs/reference/differences.md', import.meta.url),
    'utf8',
  )
  const anchors = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
  )
  for (const { verdict, differences, explanation } of report.results) {
    assert.equal(differences.length > 0, verdict !== 'same')
    if (explanation !== null) assert.ok(anchors.includes(explanation.section), explanation.section)
  }
})

test('what cannot be compared is refused with a sentence that contains no key', async (t) => {
  const withKey = `${theirs.url}/v3/${theirs.apiKey}`
  const env = { CAIRN_KEY: ours.apiKey, CAIRN_URL: ours.url }

  const direct = await doctor(env, '--dropin', withKey)
  assert.equal(direct.code, 2)
  assert.match(direct.err, /a URL with a path may hold a key: use '\$\{env:NAME\}'/)
  assert.equal(direct.err.includes(theirs.apiKey), false)

  const unset = await doctor(env, '--dropin', '${env:NOT_SET}')
  assert.equal(unset.code, 2)
  assert.match(unset.err, /NOT_SET/)

  const noKey = await doctor({ CAIRN_URL: ours.url, CAIRN_KEY: '' }, '--dropin', theirs.url)
  assert.match(noKey.err, /no API key of this server: set CAIRN_KEY or --key/)

  const wrongUrl = await doctor(env, '--dropin', theirs.url, '--url', 'ftp://127.0.0.1:1')
  assert.equal(wrongUrl.code, 2)
  assert.match(wrongUrl.err, /--url is "ftp:\/\/127\.0\.0\.1:1", expected http:/)

  const silent = await compare(ours, 'http://127.0.0.1:1/v3/some-key')
  assert.equal(silent.code, 1)
  assert.match(silent.err, /their endpoint does not answer eth_chainId: ECONNREFUSED/)

  const elsewhere = await startStub(t, withKey, (method, reply) =>
    method === 'eth_chainId' ? reply.replace('0x539', '0x1') : reply,
  )
  const otherChain = await compare(ours, elsewhere)
  assert.equal(otherChain.code, 1)
  assert.match(
    otherChain.err,
    /their endpoint serves chain ID 1 and this server 1337: choose a network with --network/,
  )

  const echoing = await startStub(t, withKey, () => error(-32001, 'unknown key their-secret-key'))
  const echoed = await compare(ours, echoing)
  assert.match(echoed.err, /answers eth_chainId with status 200: unknown key <redacted>/)

  const wrongKey = await compare(ours, `${theirs.url}/v3/some-wrong-key`)
  assert.match(
    wrongKey.err,
    /their endpoint answers eth_chainId with status 401: invalid project id/,
  )

  const other = await compare(ours, withKey, '--network', 'unknown')
  assert.match(other.err, /this server answers eth_chainId with status 404/)
  assert.doesNotMatch(silent.err + wrongKey.err, /some-/)
})

test('an interrupt ends the command also while it pauses for a rate limit', async (t) => {
  const limited = Promise.withResolvers<void>()
  const url = await startStub(t, `${theirs.url}/v3/${theirs.apiKey}`, (method, reply) => {
    if (method !== 'web3_sha3') return reply
    limited.resolve()
    return { status: 429, retryAfter: '10' }
  })
  const env = { ...process.env, THEIRS: url, CAIRN_KEY: ours.apiKey, CAIRN_URL: ours.url }
  const args = [bin, 'doctor', '--dropin', '${env:THEIRS}']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const output = text(child.stderr)
  await limited.promise
  // The reply is in flight; a second request would follow after the pause.
  child.kill('SIGINT')
  const [code] = (await ended) as [number]
  assert.equal(code, 1)
  assert.match(await output, /interrupted/)
})

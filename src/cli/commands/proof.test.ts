// `cairn proof` on a running server, on its data folder while it runs, and on the folder after it stopped.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startCairn } from '../../../test/started-server.ts'
import type { ProofBundle } from '../../rpc/bundles/proof-bundle.ts'
import { runProgram } from '../program.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-proof-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function run(args: readonly string[], env: Record<string, string> = {}) {
  let [out, err] = ['', '']
  const code = await runProgram(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => '',
    env,
  })
  return { code, out, err }
}

const reads: readonly (readonly string[])[] = [
  ['eth_getStorageAt', '0x295a70b2de5e3953354a6a8344e616ed314d7251', '0x0', 'latest'],
  ['eth_getBalance', '0x295a70b2de5e3953354a6a8344e616ed314d7251'],
  ['eth_getCode', '0x295a70b2de5e3953354a6a8344e616ed314d7251', '"latest"'],
  ['eth_getBlockByNumber', '0x0', 'true'],
  [
    'eth_getProof',
    '0x295a70b2de5e3953354a6a8344e616ed314d7251',
    '["0x0","0x1"]',
    '{"blockNumber":"0x0"}',
  ],
]

test('a running server and its folder, beside it and after it, give one bundle, and it verifies', async (t) => {
  const dataDir = join(folder, 'data')
  const cairn = await startCairn({ dataDir })
  let stopped = false
  t.after(async () => {
    if (!stopped) await cairn.kill()
  })
  const bundles: string[] = []
  for (const read of reads) {
    const args = ['proof', ...read]
    const served = await run([...args, '--url', cairn.url, '--key', cairn.apiKey])
    assert.deepEqual([served.code, served.err], [0, ''])
    const env = { CAIRN_URL: `${cairn.url}/v3/${cairn.apiKey}` }
    assert.deepEqual(await run(args, env), served)
    assert.deepEqual(await run([...args, '--data-dir', dataDir]), served)
    bundles.push(served.out)
    const { block } = JSON.parse(served.out) as ProofBundle
    const file = join(folder, 'bundle.json')
    writeFileSync(file, served.out)
    const verdict = await run(['verify', file, '--block', block?.hash ?? ''])
    assert.equal(verdict.code, 0, verdict.out)
  }
  const unknown = `0x${'12'.repeat(32)}`
  const unproved = await run([
    'proof',
    'eth_getTransactionByHash',
    unknown,
    '--url',
    cairn.url,
    '--key',
    cairn.apiKey,
  ])
  assert.equal(unproved.code, 1)
  assert.equal((JSON.parse(unproved.out) as ProofBundle).header, null)
  assert.match(unproved.err, /^cairn: no proof: the answer is labelled none/)
  const refused = await run([
    'proof',
    'eth_getBalance',
    '0x1',
    '--url',
    cairn.url,
    '--key',
    cairn.apiKey,
  ])
  assert.match(
    refused.err,
    /^cairn: invalid argument 0: json: cannot unmarshal hex string of odd length/,
  )
  const stranger = await run([
    'proof',
    ...(reads[0] ?? []),
    '--url',
    cairn.url,
    '--key',
    'some_other_key',
  ])
  assert.deepEqual([stranger.code, stranger.err], [1, 'cairn: invalid project id\n'])
  await cairn.stop()
  stopped = true
  const genesis = join(folder, 'genesis.json')
  writeFileSync(genesis, '{"config":{"chainId":7},"gasLimit":"0x1","alloc":{}}')
  const other = await run(['proof', ...(reads[0] ?? []), '--data-dir', dataDir], {
    CAIRN_CHAIN_GENESIS_FILE: genesis,
  })
  assert.deepEqual([other.code, other.out], [1, ''])
  assert.match(other.err, /the data folder holds another chain/)
  for (const [index, read] of reads.entries()) {
    const { out } = await run(['proof', ...read, '--data-dir', dataDir])
    assert.equal(out, bundles[index])
  }
})

test('what cannot be asked is said in a sentence', async () => {
  const empty = join(folder, 'empty')
  const balance = ['eth_getBalance', '0x295a70b2de5e3953354a6a8344e616ed314d7251']
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[...balance, '--data-dir', empty], 1, /no chain in .*: start the server once/],
    [['eth_gasPrice', '--data-dir', empty], 1, /eth_gasPrice has no bundles/],
    [[...balance, '--url', 'http://127.0.0.1:1'], 2, /no API key/],
    [
      [...balance, '--url', 'http://127.0.0.1:1', '--key', 'k'],
      1,
      /http:\/\/127\.0\.0\.1:1 does not respond \(ECONNREFUSED\): start it/,
    ],
    [[...balance, '--url', 'nonsense', '--key', 'k'], 2, /--url is "nonsense"/],
    [[], 2, /missing required argument 'method'/],
  ]
  for (const [args, code, sentence] of cases) {
    const got = await run(['proof', ...args])
    assert.equal(got.code, code, got.err)
    assert.match(got.err, sentence)
  }
})

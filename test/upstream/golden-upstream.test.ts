// The golden cases that need a real network: a mainnet slot proved through an upstream that replays a recording (GM1), a recorded
// mainnet transaction without a proof (G4), and a block hash on the wrong chain (G13).
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { toHex } from '../../src/base/hex.ts'
import { decodeHeader } from '../../src/codec/ethereum/header.ts'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { missingVectors, readVector } from '../fakes/chain-vectors.ts'
import { type RpcAnswer, startRpcUpstream } from '../fakes/upstream/json-rpc-upstream.ts'
import { readMainnetProof, usdcSlot } from '../fakes/upstream/mainnet-proof.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const skip = missingVectors
const block = '0xb3b20624f8f0f86eb50dd04688409e5cea4bd02d700bf6e79e9384d47d6a5a35'

/** The transaction of G4, as the documentation of the provider shows it. */
const recordedTransaction = {
  blockHash: block,
  blockNumber: '0x5bad55',
  chainId: '0x1',
  from: '0xfbb1b73c4f0bda4f67dca266ce6ef42f520fbb98',
  gas: '0x249f0',
  gasPrice: '0x174876e800',
  hash: '0x8784d99762bccd03b2086eabccee0d77f14d05463281e121a62abfebcf0d2d5f',
  nonce: '0x5e4724',
  to: '0x4b9c25ca0224aef6a7522cabdbc3b2e125b7ca50',
  transactionIndex: '0x0',
  type: '0x0',
  v: '0x25',
  value: '0x0',
}

type Network = {
  readonly name: string
  readonly chainId: number
  readonly verify: string
  readonly answer: RpcAnswer
}

/** A network whose upstream knows its chain ID, a head, and the replies of `answer`. */
async function serve(t: TestContext, networks: readonly Network[]) {
  const lines: string[] = ['networks:']
  for (const { name, chainId, verify, answer } of networks) {
    const upstream = await startRpcUpstream((asked, response) =>
      asked.method === 'eth_chainId' ? `0x${chainId.toString(16)}` : answer(asked, response),
    )
    t.after(() => upstream[Symbol.asyncDispose]())
    lines.push(`  - {name: ${name}, chainId: ${chainId}, verify: ${verify},`)
    lines.push(`     upstreams: [{url: "${upstream.url}"}]}`)
  }
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  await writeFile(file, lines.join('\n'))
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => server.stop())
  return (host: string, method: string, params: readonly unknown[]) =>
    post(new URL(server.url), host, `/v3/${server.apiKey}`, { method, params })
}

/** Sends Host itself, which fetch would overwrite: it selects the networks of this test. */
function post(url: URL, host: string, path: string, call: object) {
  return new Promise<{ body: { result?: unknown; error?: unknown }; verified: unknown }>(
    (resolve, reject) => {
      const asked = request(
        { host: url.hostname, port: url.port, path, method: 'POST', headers: { host } },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => {
            const verified = response.headers['x-cairn-verified']
            resolve({ body: JSON.parse(text) as { result?: unknown }, verified })
          })
        },
      )
      asked.on('error', reject)
      asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }))
    },
  )
}

test('GM1: a mainnet slot by block hash is proved from recorded replies', { skip }, async (t) => {
  const bytes = readVector('mainnet-proofs/usdc-implementation-slot/header.rlp')
  const hash = toHex(keccak256(bytes))
  const ask = await serve(t, [
    {
      name: 'mainnet',
      chainId: 1,
      verify: 'require',
      answer({ method, params }) {
        if (method === 'debug_getRawHeader' && params[0] === hash) return toHex(bytes)
        if (method === 'eth_getProof') return readMainnetProof()
        return null
      },
    },
  ])
  const { body, verified } = await ask('mainnet.example.org', 'eth_getStorageAt', [
    ...usdcSlot,
    hash,
  ])
  assert.deepEqual(
    [body.result, verified],
    ['0x00000000000000000000000043506849d7c04f9138d1a2050bbf3a0c054402dd', 'proof'],
  )
  assert.equal(decodeHeader(bytes).number, 22_196_233n)
})

test('G4 and G13: a recorded transaction is unproved; its block on another chain is null', async (t) => {
  const answer: RpcAnswer = ({ method, params }) =>
    method === 'eth_getTransactionByBlockHashAndIndex' && params[0] === block
      ? recordedTransaction
      : null
  const ask = await serve(t, [
    { name: 'mainnet', chainId: 1, verify: 'off', answer },
    { name: 'arbitrum-mainnet', chainId: 42_161, verify: 'off', answer: () => null },
  ])
  const method = 'eth_getTransactionByBlockHashAndIndex'
  const known = await ask('mainnet.example.org', method, [block, '0x0'])
  assert.deepEqual([known.body.result, known.verified], [recordedTransaction, 'none'])
  const other = await ask('arbitrum-mainnet.example.org', method, [block, '0x0'])
  assert.deepEqual([other.body, other.verified], [{ jsonrpc: '2.0', id: 1, result: null }, 'none'])
  const unserved = await ask('sepolia.example.org', method, [block, '0x0'])
  assert.match(JSON.stringify(unserved.body.error), /network sepolia is not served/)
})

// The verifier as a single file in an empty folder, and `cairn verify`, which has the same function.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { toHex } from '../src/base/hex.ts'
import { runProgram } from '../src/cli/program.ts'
import { encodeHeader } from '../src/codec/ethereum/header.ts'
import { keccak256 } from '../src/codec/hash/keccak.ts'
import { decodeEntries, encodeEntries } from '../src/codec/ethereum/list.ts'
import { orderedRoot } from '../src/codec/ethereum/ordered-trie.ts'
import { encodeReceipt } from '../src/codec/ethereum/receipt.ts'
import { buildVerifier } from '../verifier/build.ts'
import { bundleOf } from './fakes/bundles.ts'
import { cutBlocks, missingVectors, readChain } from './fakes/chain-vectors.ts'
import { createMainnetProof, usdcSlot } from './fakes/upstream/mainnet-proof.ts'
import { createFakeHead, createFakeNetwork, createFakeObtain } from './fakes/upstream/network.ts'
import { createVectorNetwork } from './fakes/upstream/vector-network.ts'

const skip = missingVectors
const folder = mkdtempSync(join(tmpdir(), 'cairn-verifier-'))
const file = join(folder, 'cairn-verify.mjs')
before(() => buildVerifier(file))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the file in isolation: no project, no environment. */
function verify(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env: {},
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

async function verifyWithin(...args: readonly string[]) {
  let [stdout, stderr] = ['', '']
  const status = await runProgram(['verify', ...args], {
    out: (text) => (stdout += text),
    err: (text) => (stderr += text),
    readInput: async () => '',
    env: {},
  })
  return { status, stdout, stderr }
}

function write(name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

const usdc = async () => {
  const { network, block, params } = createMainnetProof()
  const { result, proof } = await bundleOf(network, 'eth_getStorageAt', params)
  return { hash: toHex(block.hash), params, result, proof, network }
}

/** A block of one blob transaction of the recorded chain, with a high blob price. */
function createBlobBlock() {
  const { blocks, items } = cutBlocks(readChain('chain.rlp'))
  const recorded = blocks.at(-1)
  const transactions = items
    .filter(({ ref }) => ref.kind === 'transactions')
    .flatMap(({ bytes }) => decodeEntries(bytes))
    .filter((raw) => raw[0] === 3)
    .slice(0, 1)
  assert.ok(recorded !== undefined && transactions.length === 1)
  const receipts = [
    encodeReceipt({
      type: 3,
      status: true,
      postState: null,
      cumulativeGasUsed: 21_000n,
      logsBloom: new Uint8Array(256),
      logs: [],
    }),
  ]
  const roots = [orderedRoot(transactions), orderedRoot(receipts)] as const
  const header = encodeHeader({
    ...recorded.header,
    excessBlobGas: 200_000_000n,
    transactionsRoot: roots[0],
    receiptsRoot: roots[1],
  })
  const hash = keccak256(header)
  const obtain = createFakeObtain([
    { ref: { kind: 'header', hash }, bytes: header },
    { ref: { kind: 'transactions', hash: roots[0] }, bytes: encodeEntries(transactions) },
    { ref: { kind: 'receipts', hash: roots[1] }, bytes: encodeEntries(receipts) },
  ])
  const head = createFakeHead([{ network: 'dev', hash, number: recorded.header.number }])
  const network = createFakeNetwork({ head, obtain, blobFeeFraction: () => 11_684_671n })
  return { network, hash: toHex(hash) }
}

test(
  'the verifier file alone proves a mainnet slot from 16 nodes and a block hash',
  { skip },
  async () => {
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.endsWith('.json')),
      ['cairn-verify.mjs'],
    )
    const { hash, params, result, proof } = await usdc()
    const path = write('slot.json', proof)
    const expected = {
      status: 0,
      stdout: `proved  eth_getStorageAt ${JSON.stringify(params)}
block   22196233 ${hash}
result  "${String(result)}"
`,
      stderr: '',
    }
    const asked = [
      '--method',
      'eth_getStorageAt',
      '--params',
      JSON.stringify([...usdcSlot, 'latest']),
    ]
    assert.deepEqual(verify(path, '--block', hash, ...asked), expected)
    assert.deepEqual(await verifyWithin(path, '--block', hash, ...asked), expected)
    assert.match(verify(path, '--block', hash).stdout, /\nThe request was taken from the bundle:/)
    // The bundle on standard input.
    const piped = ['-', '--block', hash, ...asked]
    const input = JSON.stringify(proof)
    const options = { cwd: folder, encoding: 'utf8', input } as const
    const { status, stdout } = spawnSync(process.execPath, ['cairn-verify.mjs', ...piped], options)
    assert.deepEqual({ status, stdout, stderr: '' }, expected)
  },
)

test('an unproved answer exits with 1 and a sentence, wrong usage with 2', { skip }, async () => {
  const { hash, params, result, proof } = await usdc()
  const path = write('slot.json', proof)
  const other = `0x${'12'.repeat(32)}`
  const [node] = proof.nodes
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [[path, '--block', other], /header is that of block/],
    [
      [path, '--block', hash, '--method', 'eth_getBalance', '--params', `["${usdcSlot[0]}"]`],
      /bundle is for/,
    ],
    [[path, '--block', hash, '--result', '"0x1"'], /proves a different result: "0x/],
    [[write('cut.json', { ...proof, nodes: [node] }), '--block', hash], /lacks trie-node 0x/],
    [[write('lie.json', { result: '0x1', proof }), '--block', hash], /proves a different result/],
    [[write('text.json', 'hello'), '--block', hash], /a bundle is a JSON object/],
  ]
  for (const [args, sentence] of refused) {
    const said = verify(...args)
    assert.equal(said.status, 1)
    assert.match(said.stdout, /^not proved: /)
    assert.match(said.stdout, sentence)
    assert.deepEqual(await verifyWithin(...args), said)
  }
  const alone = [path, '--block', hash, '--method', 'eth_getStorageAt']
  for (const args of [
    [],
    [path],
    alone,
    [path, '--block', '0x1'],
    [path, '--block', hash, '--nope'],
  ]) {
    assert.equal(verify(...args).status, 2, args.join(' '))
    assert.equal((await verifyWithin(...args)).status, 2, args.join(' '))
  }
  assert.equal(verify(join(folder, 'nowhere.json'), '--block', hash).status, 1)
  const json = verify(write('reply.json', { result, proof }), '--block', hash, '--json')
  assert.deepEqual(JSON.parse(json.stdout), {
    proved: true,
    method: 'eth_getStorageAt',
    params,
    block: { hash, number: '0x152b009' },
    result,
    unproved: [],
  })
})

test(
  'it recovers the senders of a whole mainnet block with a different library than the server',
  { skip },
  async () => {
    const { network, hash } = await usdc()
    const bundled = await bundleOf(network, 'eth_getBlockByHash', [hash, true])
    const transactions = (bundled.result as { transactions: unknown[] }).transactions
    assert.equal(transactions.length, 207)
    const said = verify(write('block.json', bundled), '--block', hash)
    assert.equal(said.status, 0, said.stdout.slice(0, 300))
  },
)

test('the verifier decodes every transaction type of the recorded chain like the server', async () => {
  const network = createVectorNetwork()
  const seen = new Set<string>()
  for (let number = 54; number > 0 && seen.size < 5; number -= 1) {
    const at = `0x${number.toString(16)}`
    const bundled = await bundleOf(network, 'eth_getBlockByNumber', [at, true])
    const { transactions, hash } = bundled.result as {
      transactions: { type: string }[]
      hash: string
    }
    if (transactions.every(({ type }) => seen.has(type))) continue
    for (const { type } of transactions) seen.add(type)
    const said = verify(write(`block-${number}.json`, bundled), '--block', hash)
    assert.equal(said.status, 0, said.stdout.slice(0, 300))
  }
  assert.deepEqual([...seen].toSorted(), ['0x0', '0x1', '0x2', '0x3', '0x4'])
})

test('the blob price of a receipt is proved only with a fraction supplied by the reader', async () => {
  const { network, hash } = createBlobBlock()
  const path = write('receipts.json', await bundleOf(network, 'eth_getBlockReceipts', [hash]))
  const bare = verify(path, '--block', hash)
  assert.equal(bare.status, 0, bare.stdout.slice(0, 300))
  assert.match(bare.stdout, /\ndoes not cover blobGasPrice: no header commits to it/)
  const whole = verify(path, '--block', hash, '--blob-fraction', '11684671')
  assert.equal(whole.status, 0)
  assert.ok(!whole.stdout.includes('not of blobGasPrice'))
  const wrong = verify(path, '--block', hash, '--blob-fraction', '3338477')
  assert.match(wrong.stdout, /^not proved: the bundle proves a different result/)
})

test('the file opens no connection: it imports no network module', () => {
  const imported = [...readFileSync(file, 'utf8').matchAll(/^import .* from "([^"]+)";$/gm)]
  assert.deepEqual([...new Set(imported.map(([, name = '']) => name))].toSorted(), [
    'node:crypto',
    'node:fs',
    'node:timers/promises',
    'node:util',
  ])
  assert.ok(
    // `fetch` is also the name of a method of a cache.
    !/(?:[=(,;]|\bawait|\breturn)\s*fetch\(|\brequire\("/.test(
      readFileSync(file, 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''),
    ),
  )
})

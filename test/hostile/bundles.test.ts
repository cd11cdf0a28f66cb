// A proof bundle may be changed in transit. With any change, a verifier with its own block hash and request gets the correct result
// or none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keccak256 } from '../../src/codec/hash/keccak.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { buildTrie } from '../../src/codec/ethereum/trie-build.ts'
import { encodeAccountState, absentAccount } from '../../src/codec/ethereum/account-state.ts'
import { encodeInteger, encodeRlp } from '../../src/codec/ethereum/rlp.ts'
import { parseBundle, type ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import type { Network } from '../../src/chain/network.ts'
import { bundleOf, verdictOn } from '../fakes/bundles.ts'
import { createStateNetwork } from '../fakes/upstream/state-network.ts'
import { createVectorNetwork } from '../fakes/upstream/vector-network.ts'

type Request = readonly [method: string, params: readonly unknown[]]

type Case = {
  readonly block: string
  readonly request: Request
  readonly proof: ProofBundle
  /** JSON text. */
  readonly result: string
}

async function bundleCase(
  network: Network,
  method: string,
  params: readonly unknown[],
): Promise<Case> {
  const { result, proof } = await bundleOf(network, method, params)
  assert.ok(proof.block !== null && proof.header !== null)
  return {
    block: proof.block.hash,
    request: [method, params],
    proof,
    result: JSON.stringify(result),
  }
}

/** Verdicts of a verifier with its own request, and of one that uses the request in the bundle. */
async function check(
  { block, request, result }: Case,
  bundle: unknown,
  what: () => string,
): Promise<boolean> {
  const own = await verdictOn(bundle, block, request)
  if ('result' in own && own.result !== result) assert.fail(`${what()}: ${own.result}`)
  const believing = await verdictOn(bundle, block)
  if ('result' in believing && JSON.stringify(believing.params) === JSON.stringify(request[1])) {
    assert.equal(believing.result, result, what())
  }
  return 'result' in own
}

/** Three accounts, two of them with slots of one byte, so that nodes are embedded in others. */
function createSmallState(): { readonly network: Network; readonly addresses: readonly string[] } {
  const addresses = [1, 2, 3].map((fill) => new Uint8Array(20).fill(fill))
  const storage = buildTrie(
    [0, 1, 2].map((slot) => {
      const key = new Uint8Array(32)
      key[31] = slot
      return [keccak256(key), encodeRlp(encodeInteger(slot + 1))] as const
    }),
  )
  const state = buildTrie(
    addresses.map((address, index) => {
      const account = { ...absentAccount, nonce: BigInt(index), balance: 7n }
      const own = index === 0 ? account : { ...account, storageRoot: storage.root }
      return [keccak256(address), encodeAccountState(own)] as const
    }),
  )
  const nodes = [...state.nodes, ...storage.nodes]
  return {
    network: createStateNetwork({ root: state.root, nodes }),
    addresses: addresses.map(toHex),
  }
}

async function cases(): Promise<readonly Case[]> {
  const { network, addresses } = createSmallState()
  const [, owner = ''] = addresses
  const block = toHex(network.head.latest().hash)
  const recorded = createVectorNetwork()
  const first = await bundleOf(recorded, 'eth_getBlockByNumber', ['0x1', false])
  const { hash, transactions } = first.result as { hash: string; transactions: string[] }
  return [
    await bundleCase(network, 'eth_getStorageAt', [owner, `0x${'0'.repeat(63)}1`, block]),
    await bundleCase(network, 'eth_getBalance', [`0x${'09'.repeat(20)}`, block]),
    await bundleCase(recorded, 'eth_getTransactionByBlockHashAndIndex', [hash, '0x1']),
    await bundleCase(recorded, 'eth_getTransactionReceipt', [transactions[1]]),
    await bundleCase(recorded, 'eth_getBlockTransactionCountByHash', [hash]),
  ]
}

/** Flips every `stride`th bit of hex strings, and of each character of other members. */
function* flip(proof: ProofBundle, stride: number): Generator<() => unknown> {
  const pieces = [proof.header ?? '', ...proof.nodes].map(fromHex)
  for (const [piece, bytes] of pieces.entries()) {
    for (let bit = 0; bit < bytes.length * 8; bit += stride) {
      yield () => {
        const [header, ...nodes] = pieces.toSpliced(piece, 1, flipBit(bytes, bit)).map(toHex)
        return { ...proof, header, nodes }
      }
    }
  }
  const rest = Buffer.from(JSON.stringify({ ...proof, header: undefined, nodes: undefined }))
  for (let bit = 0; bit < rest.length * 8; bit += stride) {
    yield () => {
      const changed = JSON.parse(Buffer.from(flipBit(rest, bit)).toString('utf8')) as object
      return { header: proof.header, nodes: proof.nodes, ...changed }
    }
  }
}

function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = new Uint8Array(bytes)
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return flipped
}

test('a bundle with one flipped bit never proves a different answer', async (t) => {
  let [flips, stood] = [0, 0]
  for (const [at, one] of (await cases()).entries()) {
    for (const flipped of flip(one.proof, at < 2 ? 1 : 7)) {
      flips += 1
      let bundle: unknown
      try {
        bundle = flipped()
      } catch {
        // Not valid JSON.
        continue
      }
      if (await check(one, bundle, () => `${one.request[0]} ${JSON.stringify(bundle)}`)) stood += 1
    }
  }
  t.diagnostic(`${flips} flips, ${stood} without effect`)
  assert.ok(flips > 15_000)
})

test('nodes that are replaced, removed, doubled or reordered prove no other answer', async () => {
  const all = await cases()
  const pieces = all.flatMap(({ proof }) => proof.nodes)
  let proved = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...all),
      fc.subarray(pieces),
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }),
      fc.constantFrom(...all.map(({ proof }) => proof.header)),
      fc.boolean(),
      async (one, some, more, header, keepsOwn) => {
        const nodes = [...more.toReversed(), ...(keepsOwn ? one.proof.nodes : []), ...some]
        const bundle = { ...one.proof, nodes, header: keepsOwn ? one.proof.header : header }
        if (await check(one, bundle, () => JSON.stringify(bundle))) proved += 1
      },
    ),
    { numRuns: 500 },
  )
  assert.ok(proved > 100, `${proved}`)
})

test('a bundle of another request or block is refused, also under a changed name', async () => {
  const all = await cases()
  for (const one of all) {
    for (const other of all) {
      if (one === other) continue
      const [method] = one.request
      for (const bundle of [other.proof, { ...other.proof, method, params: one.proof.params }]) {
        const verdict = await verdictOn(bundle, one.block, one.request)
        if ('result' in verdict) assert.equal(verdict.result, one.result)
      }
    }
  }
})

test('a bundle with too many nodes, invalid nodes or a node of 10 MB is refused within bounds', async () => {
  const [one] = await cases()
  assert.ok(one !== undefined)
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [Array.from({ length: 300_001 }, () => '0x80'), /^nodes is not a list of at most 300000$/],
    [[`0x${'00'.repeat(10_000_000)}`], /^the evidence lacks trie-node/],
    [Array.from({ length: 100_000 }, (_, at) => `0x${at.toString(16).padStart(8, '0')}`), /lacks/],
  ]
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown
  const parsed = parseBundle({ ...one.proof, params: deep })
  assert.deepEqual(parsed, { refused: 'the bundle names no params' })
  for (const [nodes, sentence] of refusals) {
    const verdict = await verdictOn({ ...one.proof, nodes }, one.block, one.request)
    assert.match('refused' in verdict ? verdict.refused : '', sentence)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBlockHeader } from '@ethereumjs/block'
import { Common, Mainnet } from '@ethereumjs/common'
import fc from 'fast-check'
import { toHex, toQuantity } from '../../base/hex.ts'
import { decodeHeader } from './header.ts'
import { encodeHeaderJson, encodeUnclesJson } from './header-json.ts'
import { Malformed, decodeRlp, encodeRlp } from './rlp.ts'

const hardforks = ['chainstart', 'london', 'paris', 'shanghai', 'cancun', 'prague', 'amsterdam']
const commonOf = new Map(
  hardforks.map((hardfork) => [hardfork, new Common({ chain: Mainnet, hardfork })]),
)

const data = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const integer = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }))
const samples = fc.record({
  hardfork: fc.constantFrom(...hardforks),
  hash: fc.array(data(32), { minLength: 10, maxLength: 10 }),
  logsBloom: data(256),
  extraData: fc.uint8Array({ maxLength: 32 }),
  nonce: data(8),
  integers: fc.array(integer, { minLength: 9, maxLength: 9 }),
})
type Sample = typeof samples extends fc.Arbitrary<infer T> ? T : never

/** The header built by another implementation, and its JSON as a node returns it. */
function sampleHeader({ hardfork, hash, logsBloom, extraData, nonce, integers }: Sample) {
  const [difficulty, number, gas = 0n, gasUsed = 0n, timestamp, baseFeePerGas] = integers
  const gasLimit = gas > gasUsed ? gas : gasUsed + 5000n
  const common = commonOf.get(hardfork) as Common
  const [blobGasUsed, excessBlobGas, slotNumber] = integers.slice(6)
  const eip = (id: number) => common.isActivatedEIP(id)
  const isProofOfWork = !eip(3675)
  const fields = {
    parentHash: hash[0],
    uncleHash: hash[1],
    coinbase: hash[2]?.subarray(12),
    stateRoot: hash[3],
    transactionsTrie: hash[4],
    receiptTrie: hash[5],
    logsBloom,
    difficulty,
    number,
    gasLimit,
    gasUsed,
    timestamp,
    extraData,
    mixHash: hash[6],
    nonce: isProofOfWork ? nonce : new Uint8Array(8),
    ...(eip(1559) && { baseFeePerGas }),
    ...(eip(4895) && { withdrawalsRoot: hash[7] }),
    ...(eip(4844) && { blobGasUsed, excessBlobGas }),
    ...(eip(4788) && { parentBeaconBlockRoot: hash[8] }),
    ...(eip(7685) && { requestsHash: hash[9] }),
    ...(eip(7928) && { blockAccessListHash: hash[0] }),
    ...(eip(7843) && { slotNumber }),
  }
  const header = createBlockHeader(fields as never, {
    common,
    skipConsensusFormatValidation: true,
    setHardfork: false,
  })
  const { uncleHash, coinbase, transactionsTrie, receiptTrie, ...same } = header.toJSON()
  const names = { sha3Uncles: uncleHash, miner: coinbase }
  const roots = { transactionsRoot: transactionsTrie, receiptsRoot: receiptTrie }
  return { bytes: header.serialize(), hash: header.hash(), json: { ...same, ...names, ...roots } }
}

test('a header of any fork, printed by another implementation, is encoded to its bytes', () => {
  const lengths = new Set<number>()
  fc.assert(
    fc.property(samples, (sample) => {
      const { bytes, json } = sampleHeader(sample)
      const extra = { hash: '0x00', size: '0x220', totalDifficulty: '0x0', l1BlockNumber: '0x1' }
      const encoded = encodeHeaderJson({ ...json, ...extra })
      assert.deepEqual(encoded, new Uint8Array(bytes))
      const items = decodeRlp(encoded)
      assert.deepEqual(encodeRlp(items), encoded)
      assert.deepEqual(decodeHeader(encoded).number, BigInt(json.number ?? ''))
      lengths.add(items.length)
    }),
    { numRuns: 200 },
  )
  assert.deepEqual(lengths, new Set([15, 16, 17, 20, 21, 23]))
})

/** A header with all fields, in the JSON form of a node. */
const newest = {
  parentHash: word(1),
  sha3Uncles: word(2),
  miner: '0xABcdEF' + '00'.repeat(17),
  stateRoot: word(3),
  transactionsRoot: word(4),
  receiptsRoot: word(5),
  logsBloom: '0x' + '00'.repeat(256),
  difficulty: '0x0',
  number: '0x7',
  gasLimit: '0x1c9c380',
  gasUsed: '0x5208',
  timestamp: '0x6553f100',
  extraData: '0x',
  mixHash: word(6),
  nonce: '0x0000000000000000',
  baseFeePerGas: '0x7',
  withdrawalsRoot: word(7),
  blobGasUsed: '0x20000',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: word(8),
  requestsHash: word(9),
  blockAccessListHash: word(10),
  slotNumber: '0x16',
}

function word(value: number): string {
  return '0x' + value.toString(16).padStart(64, '0')
}

test('all 23 fields are written in their order', () => {
  const header = decodeHeader(encodeHeaderJson(newest))
  assert.equal(toHex(header.blockAccessListHash ?? new Uint8Array()), newest.blockAccessListHash)
  assert.equal(toQuantity(header.slotNumber ?? -1n), newest.slotNumber)
  assert.equal(toHex(header.miner), newest.miner.toLowerCase())
})

test('integers padded with zeros have their numeric value', () => {
  const padded = { ...newest, number: '0x0007', difficulty: '0x00', excessBlobGas: word(0) + '00' }
  assert.deepEqual(encodeHeaderJson(padded), encodeHeaderJson(newest))
  const endless = { ...newest, number: '0x' + '0'.repeat(1000) }
  assert.throws(() => encodeHeaderJson(endless), Malformed)
})

test('optional fields may end anywhere, absent or null, but never with a gap', () => {
  const optional = Object.keys(newest).slice(15)
  for (const [index, name] of optional.entries()) {
    const rest = Object.fromEntries(optional.slice(index).map((later) => [later, null]))
    const items = decodeRlp(encodeHeaderJson({ ...newest, ...rest }))
    assert.equal(items.length, 15 + index)
    if (index === optional.length - 1) continue
    assert.throws(() => encodeHeaderJson({ ...newest, [name]: undefined }), Malformed, name)
  }
})

test('a field of another form is malformed, whichever it is', () => {
  const odd = [null, 7, true, [], {}, '', '0x', '0xg', '7', '0X7', '0x1 ', '0x' + '1'.repeat(65)]
  for (const name of Object.keys(newest)) {
    for (const value of odd) {
      if (value === null && name === 'slotNumber') continue
      if (value === '0x' && name === 'extraData') continue
      const json = { ...newest, [name]: value }
      assert.throws(() => encodeHeaderJson(json), Malformed, `${name}: ${JSON.stringify(value)}`)
    }
  }
  for (const json of [null, undefined, [], 'block', 1, {}]) {
    assert.throws(() => encodeHeaderJson(json), Malformed)
  }
})

test('data is never trimmed or padded', () => {
  for (const nonce of ['0x0', '0x00', '0x' + '00'.repeat(9)]) {
    assert.throws(() => encodeHeaderJson({ ...newest, nonce }), Malformed)
  }
})

test('uncles are their headers in one list', () => {
  const { baseFeePerGas: _, ...old } = newest
  const one = Object.fromEntries(Object.entries(old).slice(0, 15))
  const two = { ...one, number: '0x8' }
  const items = [encodeHeaderJson(one), encodeHeaderJson(two)].map((bytes) => decodeRlp(bytes))
  assert.deepEqual(encodeUnclesJson([one, two]), encodeRlp(items))
  assert.deepEqual(encodeUnclesJson([]), Uint8Array.of(0xc0))
  assert.throws(() => encodeUnclesJson([null]), Malformed)
  assert.throws(() => encodeUnclesJson(Array.from({ length: 17 }, () => one)), Malformed)
})

// Hash functions against published digests, and BLAKE2 of every length against another implementation.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { toBareHex } from '../../base/hex.ts'
import { blake2b, blake2s } from './blake.ts'
import { hashCodes, hashFunctions } from './hash-functions.ts'

const published: readonly (readonly [string, string])[] = [
  ['sha1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['sha2-256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'sha2-512',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
  ['sha3-224', 'e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf'],
  ['sha3-256', '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
  [
    'sha3-384',
    'ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25',
  ],
  [
    'sha3',
    'b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0',
  ],
  [
    'shake-256',
    '483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739d5a15bef186a5386c75744c0527e1faa9f8726e462a12a4feb06bd8801e751e4',
  ],
  ['keccak-224', 'c30411768506ebe1c2871b1ee2e87d38df342317300a9b97a95ec6a8'],
  ['keccak-256', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  [
    'keccak-384',
    'f7df1165f033337be098e7d288ad6a2f74409d7a60b49c36642218de161b1f99f8c681e4afaf31a34db29fb763e3c28e',
  ],
  [
    'keccak-512',
    '18587dc2ea106b9a1563e32b3312421ca164c7f1f07bc922a9c83d77cea3a1e5d0c69910739025372dc14ac9642629379540c17e2a65b19d77aa511a9d00bb96',
  ],
  ['blake3', '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'],
  ['blake2b-256', 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319'],
  ['blake2s-256', '508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982'],
]

test('each function gives the published digest of abc', () => {
  for (const [name, digest] of published) {
    const run = hashFunctions.get(hashCodes.get(name) ?? 0)
    assert.equal(run && toBareHex(run(Buffer.from('abc'))), digest, name)
  }
})

test('BLAKE2 of every length agrees with another implementation', () => {
  const bytes = Buffer.from('abc'.repeat(50))
  const all = createHash('sha256')
  for (let length = 20; length <= 64; length += 1) all.update(blake2b(bytes, length))
  for (let length = 20; length <= 32; length += 1) all.update(blake2s(bytes, length))
  // Python's hashlib returns the same digests.
  assert.equal(
    all.digest('hex'),
    'e823c1f9078195d03045b1ff6a6ceb75ba1d91a737c3dcb772c6e4e62f277307',
  )
  assert.throws(() => blake2b(bytes, 19), RangeError)
})

test('codes and names are those of the multicodec table', () => {
  assert.equal(hashCodes.get('blake2b-160'), 0xb214)
  assert.equal(hashCodes.get('blake2b-512'), 0xb240)
  assert.equal(hashCodes.get('blake2s-160'), 0xb254)
  assert.equal(hashCodes.get('blake2s-256'), 0xb260)
  assert.equal(hashCodes.has('blake2b-152'), false)
  assert.equal(hashCodes.has('md5'), false)
})

// IPNS records and names, compared with the npm package `ipns`, which shares no code with this one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { generateKeyPair, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import fc from 'fast-check'
import { createIPNSRecord, marshalIPNSRecord, multihashToIPNSRoutingKey } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import { base36 } from 'multiformats/bases/base36'
import * as digests from 'multiformats/hashes/digest'
import { hasCode } from '../../base/fault.ts'
import { dagPbCodec, cidOf, rawCodec } from './cid.ts'
import { ipnsNameOf, nameOfKey, parseIpnsName } from './ipns-name.ts'
import {
  compareIpnsRecords,
  createIpnsRecord,
  decodeIpnsRecord,
  ipnsRecordBytesMax,
  verifyIpnsRecord,
} from './ipns-record.ts'
import {
  decodePrivateKey,
  decodePublicKey,
  encodePrivateKey,
  encodePublicKey,
  privateKeyOf,
} from './libp2p-key.ts'
import { bytesField, decodeFields, joinBytes, varintField } from './protobuf.ts'
import { sha256Name } from './multihash.ts'

const value = '/ipfs/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const hourMs = 3_600_000
const own = privateKeyOf(new Uint8Array(32).fill(7))
const ownName = nameOfKey(encodePublicKey(own))

function made(change: Partial<Parameters<typeof createIpnsRecord>[1]> = {}) {
  const usual = { value, sequence: 3n, validity: 10 * hourMs, ttlNs: 5n, compatible: true }
  return createIpnsRecord(own, { ...usual, ...change })
}

/** A record made by the package `ipns`, valid for an hour, and its name. */
async function foreign(type: 'Ed25519' | 'RSA' | 'secp256k1', v1Compatible = true) {
  const key = type === 'RSA' ? await generateKeyPair(type, 2048) : await generateKeyPair(type)
  const record = v1Compatible
    ? await createIPNSRecord(key, value, 7, hourMs)
    : await createIPNSRecord(key, value, 7, hourMs, { v1Compatible: false })
  const name = nameOfKey(publicKeyToProtobuf(key.publicKey))
  return { name, bytes: marshalIPNSRecord(record), key }
}

const refused = (run: () => unknown) =>
  assert.throws(run, (thrown: unknown) => hasCode(thrown, 'command_failed'))

for (const type of ['Ed25519', 'RSA', 'secp256k1'] as const) {
  for (const v1 of [true, false]) {
    test(`a record that ipns signs with ${type}, ${v1 ? 'V1 and V2' : 'V2 alone'}, verifies under its name alone`, async () => {
      const { name, bytes, key } = await foreign(type, v1)
      const record = decodeIpnsRecord(bytes)
      verifyIpnsRecord(record, name, Date.now())
      assert.equal(record.value, value)
      assert.equal(record.sequence, 7n)
      assert.equal(record.hasV1, v1)
      assert.ok(Math.abs(record.validity - Date.now() - hourMs) < 60_000)
      assert.equal(name.text, key.publicKey.toCID().toString(base36))
      refused(() => verifyIpnsRecord(record, ownName, Date.now()))
      refused(() => verifyIpnsRecord(record, name, Date.now() + 2 * hourMs))
    })
  }
}

test('ipns accepts a record of ours, with the fields of V1 and without them', async () => {
  for (const compatible of [true, false]) {
    const validity = Date.now() + hourMs
    const { bytes } = made({ validity, compatible })
    const key = multihashToIPNSRoutingKey(digests.decode(ownName.multihash) as never)
    await ipnsValidator(key, bytes)
  }
})

test('every changed bit of a record is noticed, or changes only the signature of V1', () => {
  const record = made()
  const { bytes } = record
  fc.assert(
    fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
      const changed = Uint8Array.from(bytes)
      const at = bit >> 3
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7))
      try {
        const decoded = decodeIpnsRecord(changed)
        verifyIpnsRecord(decoded, ownName, 0)
        assert.deepEqual({ ...decoded, bytes }, { ...record, bytes })
      } catch (thrown) {
        assert.ok(hasCode(thrown, 'command_failed'), String(thrown))
      }
    }),
    { numRuns: 3000 },
  )
})

test('records of V1 alone, with different values in V1 and V2, and over 10 KiB are refused', () => {
  const fields = decodeFields(made().bytes)
  const written = (keep: (number: number) => boolean) =>
    fields
      .filter(({ number }) => keep(number))
      .flatMap(({ number, wire, value: number64, bytes }) =>
        wire === 0 ? varintField(number, number64) : bytesField(number, bytes),
      )
  refused(() => decodeIpnsRecord(joinBytes(written((number) => number < 8))))
  const other = [...bytesField(1, Buffer.from('/ipfs/other')), ...written((number) => number > 1)]
  refused(() => verifyIpnsRecord(decodeIpnsRecord(joinBytes(other)), ownName, 0))
  const sequence = [...written((number) => number !== 5), ...varintField(5, 4n)]
  refused(() => verifyIpnsRecord(decodeIpnsRecord(joinBytes(sequence)), ownName, 0))
  const unsigned = joinBytes(written((number) => number !== 8))
  refused(() => verifyIpnsRecord(decodeIpnsRecord(unsigned), ownName, 0))
  const large = joinBytes([made().bytes, ...bytesField(20, new Uint8Array(ipnsRecordBytesMax))])
  refused(() => decodeIpnsRecord(large))
})

test('a higher sequence number wins, then the later end', () => {
  const older = made({ sequence: 1n, validity: 9 * hourMs })
  assert.ok(compareIpnsRecords(made({ sequence: 2n }), older) > 0)
  assert.ok(compareIpnsRecords(older, made({ sequence: 1n })) < 0)
  assert.equal(compareIpnsRecords(older, older), 0)
})

test('a name is read as a CID in any base, as a peer ID, and written in base36', () => {
  const cid = cidOf(1, 0x72, ownName.multihash)
  assert.match(ownName.text, /^k51qzi5uqu5d/)
  for (const text of [ownName.text, cid.toString()]) {
    assert.deepEqual(parseIpnsName(text), ownName)
  }
  const peerId = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
  const data = peerId.export({ type: 'spki', format: 'der' })
  const hashed = nameOfKey(joinBytes([...varintField(1, 0), ...bytesField(2, data)]))
  assert.equal(parseIpnsName(cidOf(0, dagPbCodec, hashed.multihash).toString())?.text, hashed.text)
  assert.match(hashed.text, /^k2k4r8/)
  const raw = cidOf(1, rawCodec, sha256Name(new Uint8Array(1))).toString()
  for (const text of ['', 'example.org', raw, 'Qm', `1${'z'.repeat(60)}`, 'k'.repeat(5000)]) {
    assert.equal(parseIpnsName(text), null, text)
  }
  assert.equal(parseIpnsName(raw, { anyCodec: true })?.text.startsWith('k2'), true)
  assert.equal(ipnsNameOf(new Uint8Array([1, 2, 3])), null)
})

test('a private key is read and written as libp2p does; keys of other sizes and curves are refused', async () => {
  const key = await generateKeyPair('Ed25519')
  const protobuf = encodePrivateKey(privateKeyOf(key.raw.subarray(0, 32)))
  assert.deepEqual(
    Buffer.from(encodePublicKey(decodePrivateKey(protobuf)).subarray(4)),
    Buffer.from(key.publicKey.raw),
  )
  assert.deepEqual(Buffer.from(protobuf.subarray(4)), Buffer.from(key.raw))
  refused(() => decodePrivateKey(joinBytes([protobuf.subarray(0, 36), new Uint8Array(32)])))
  const spki = (made: { publicKey: ReturnType<typeof createPublicKey> }, type: number) =>
    joinBytes([
      ...varintField(1, type),
      ...bytesField(2, made.publicKey.export({ type: 'spki', format: 'der' })),
    ])
  decodePublicKey(spki(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 3))
  refused(() => decodePublicKey(spki(generateKeyPairSync('ec', { namedCurve: 'P-384' }), 3)))
  refused(() => decodePublicKey(spki(generateKeyPairSync('rsa', { modulusLength: 1024 }), 0)))
  refused(() =>
    decodePublicKey(joinBytes([...varintField(1, 9), ...bytesField(2, new Uint8Array(32))])),
  )
  refused(() =>
    decodePublicKey(joinBytes([...varintField(1, 2), ...bytesField(2, new Uint8Array(33))])),
  )
})

test('bytes that are no record are refused with a fault', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      refused(() => decodeIpnsRecord(bytes))
    }),
  )
})

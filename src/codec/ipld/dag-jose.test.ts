// dag-jose as written and read by Kubo 0.43, and refused input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeDagJose, encodeDagJose } from './dag-jose.ts'
import { decodeDagJson, encodeDagJson } from './dag-json.ts'
import { encodeDagCbor } from './dag-cbor-writer.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const node = (json: object) => decodeDagJson(Buffer.from(JSON.stringify(json)))
const shown = (block: Uint8Array) => JSON.parse(encodeDagJson(decodeDagJose(block))) as unknown
const written = (json: object) => Buffer.from(encodeDagJose(node(json))).toString('hex')

const payload = 'AVUSICOfWe1V5zfHcUfPVa0MGwMLbX7nSKdCaVL5uFLVqTXl'
const link = { '/': 'bafkreibdt5m62vphg7dxcr6pkwwqygydbnwx5z2iu5bgsuxzxbjnlkjv4u' }
const protectedPart = 'eyJhbGciOiJFZERTQSJ9'
const payloadHex =
  '677061796c6f6164582401551220239f59ed55e737c77147cf55ad0c1b030b6d7ee748a7426952f9b852d5a935e5'
const signedHex = `a2${payloadHex}6a7369676e61747572657381a366686561646572a1636b696461786970726f7465637465644f7b22616c67223a224564445341227d697369676e61747572654401020304`
const sealedHex =
  'a562697641016361616441016a63697068657274657874430102036a726563697069656e747381a266686561646572a1636b696461786d656e637279707465645f6b657941016b756e70726f746563746564a1616101'

test('a JWS is written alike from the general and the flattened form, and read with its link', () => {
  const one = { header: { kid: 'x' }, protected: protectedPart, signature: 'AQIDBA' }
  assert.equal(written({ payload, signatures: [one] }), signedHex)
  assert.equal(written({ payload, ...one }), signedHex)
  assert.equal(written({ payload, link, ...one }), signedHex)
  assert.deepEqual(shown(hex(signedHex)), { link, payload, signatures: [one] })
  assert.deepEqual(
    encodeDagJose(decodeDagJose(hex(signedHex))),
    encodeDagJose(node({ payload, ...one })),
  )
  assert.deepEqual(shown(hex(`a1${payloadHex}`)), { link, payload })
})

test('a JWE is written alike from the general and the flattened form, and read without a link', () => {
  const one = { encrypted_key: 'AQ', header: { kid: 'x' } }
  const rest = { aad: 'AQ', ciphertext: 'AQID', iv: 'AQ', unprotected: { a: 1 } }
  assert.equal(written({ ...rest, recipients: [one] }), sealedHex)
  assert.equal(written({ ...rest, ...one }), sealedHex)
  assert.deepEqual(shown(hex(sealedHex)), { ...rest, recipients: [one] })
  assert.equal(written({ ciphertext: 'AQID' }), 'a16a6369706865727465787443010203')
})

test('what is no JOSE object is refused by name', () => {
  const signature = 'AQIDBA'
  for (const [json, message] of [
    [{ a: 1 }, /no payload/],
    [[1], /it must be a map/],
    [{ payload }, /no signature/],
    [{ payload, signatures: [{ protected: 'AQ' }] }, /no signature/],
    [{ payload, signatures: 'x' }, /signatures that are not a list/],
    [{ payload, signatures: [], signature }, /signature beside signatures/],
    [{ payload: 'AQID', signature }, /payload that is not a CID/],
    [{ payload: 'not base64url!', signature }, /not base64url/],
    [{ payload: 1, signature }, /not base64url/],
    [{ payload, signature, link: { '/': 'bafkqaaa' } }, /link that is not the payload/],
    [{ payload, signature, more: 1 }, /member "more"/],
    [{ ciphertext: 'AQ', recipients: [], header: {} }, /header beside recipients/],
    [{ ciphertext: 'AQ', more: 1 }, /member "more"/],
  ] as const) {
    assert.throws(() => written(json), { code: 'command_failed', message }, JSON.stringify(json))
  }
  const block = encodeDagCbor(node({ a: 1 }))
  assert.throws(() => decodeDagJose(block), { message: 'not a dag-jose object: no payload' })
  assert.throws(() => decodeDagJose(hex('a16161')), /bytes missing/)
})

// Public and private keys of libp2p: protobuf around the key of each type. `node:crypto` signs and verifies: Ed25519, RSA of 2048
// to 8192 bits, secp256k1, ECDSA on P-256.
// Rule: https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md
// Tested by src/codec/ipld/ipns-record.test.ts
import { type KeyObject, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { type ProtobufField, bytesField, decodeFields, joinBytes, varintField } from './protobuf.ts'

const types = { rsa: 0n, ed25519: 1n, secp256k1: 2n, ecdsa: 3n } as const

/** DER prefixes (RFC 5480, RFC 8410) before the bytes of the key. */
const ed25519Spki = Buffer.from('302a300506032b6570032100', 'hex')
const ed25519Pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const secp256k1Spki = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex')
const rsaBitsMin = 2048
const rsaBitsMax = 8192

/** `bytes`: a public key in protobuf. Throws `command_failed` for a malformed key or an unsupported type. */
export function decodePublicKey(bytes: Uint8Array): KeyObject {
  const { type, data } = partsOf(bytes)
  if (type === types.ed25519 && data.length === 32) return spkiKey(ed25519Spki, data)
  if (type === types.secp256k1 && data.length === 33) return spkiKey(secp256k1Spki, data)
  if (type !== types.rsa && type !== types.ecdsa) throw invalid('type')
  const key = spkiKey(new Uint8Array(0), data)
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  const isRsa = key.asymmetricKeyType === 'rsa'
  if (type === types.rsa && isRsa && modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax) {
    return key
  }
  if (type === types.ecdsa && namedCurve === 'prime256v1') return key
  throw invalid('size or curve')
}

/** Encodes an Ed25519 public key in protobuf. */
export function encodePublicKey(key: KeyObject): Uint8Array {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return joinBytes([...varintField(1, types.ed25519), ...bytesField(2, der.subarray(-32))])
}

/** Decodes an Ed25519 private key in protobuf, as Kubo exports it. Throws `command_failed` for any other. */
export function decodePrivateKey(bytes: Uint8Array): KeyObject {
  const { type, data } = partsOf(bytes)
  // The older form includes the public key twice.
  if (type !== types.ed25519 || (data.length !== 64 && data.length !== 96)) {
    throw new Fault('command_failed', { detail: 'only Ed25519 keys can be imported' })
  }
  const key = privateKeyOf(data.subarray(0, 32))
  const own = encodePublicKey(key).subarray(-32)
  if (!own.every((byte, at) => byte === data[32 + at])) throw invalid('public key')
  return key
}

export function encodePrivateKey(key: KeyObject): Uint8Array {
  const data = joinBytes([seedOf(key), encodePublicKey(key).subarray(-32)])
  return joinBytes([...varintField(1, types.ed25519), ...bytesField(2, data)])
}

/** `seed`: 32 bytes, Ed25519 (RFC 8032). */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  const key = Buffer.concat([ed25519Pkcs8, seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** The seed of an Ed25519 key, 32 bytes. */
export function seedOf(key: KeyObject): Uint8Array {
  return key.export({ type: 'pkcs8', format: 'der' }).subarray(-32)
}

export function signBytes(key: KeyObject, bytes: Uint8Array): Uint8Array {
  return sign(null, bytes, key)
}

/** RSA signatures are PKCS #1 v1.5; those of curves other than Ed25519 are in DER; both use SHA-256. */
export function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  return verify(isEd25519 ? null : 'sha256', bytes, key, signature)
}

function partsOf(bytes: Uint8Array): { readonly type: bigint; readonly data: Uint8Array } {
  const fields = decodeFields(bytes)
  const last = (number: number): ProtobufField | undefined =>
    fields.findLast((field) => field.number === number)
  const data = last(2)
  if (data?.wire !== 2) throw invalid('data')
  return { type: last(1)?.value ?? types.rsa, data: data.bytes }
}

function spkiKey(head: Uint8Array, data: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.concat([head, data]), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new Fault('command_failed', { detail: 'invalid public key', cause })
  }
}

function invalid(what: string): Fault {
  return new Fault('command_failed', { detail: `invalid libp2p key: ${what}` })
}

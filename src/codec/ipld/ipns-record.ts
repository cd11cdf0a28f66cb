// IPNS records: protobuf around signed DAG-CBOR. Reads and writes V2 with and without the fields of V1; the V1 signature is
// ignored (IPIP-428).
// Rule: https://specs.ipfs.tech/ipns/ipns-record/
// Tested by src/codec/ipld/ipns-record.test.ts
import type { KeyObject } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { equalBytes } from '../../base/hex.ts'
import { decodeCid } from './cid.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import { encodeDagCbor } from './dag-cbor-writer.ts'
import { type IpnsName, isNameOf, keyInName } from './ipns-name.ts'
import { decodePublicKey, isSignedBy, signBytes } from './libp2p-key.ts'
import { type ProtobufField, bytesField, decodeFields, joinBytes, varintField } from './protobuf.ts'

/** Longest record (IPNS Record, Record Size Limit). */
export const ipnsRecordBytesMax = 10 * 1024

/** Content of the signed part, before verification. */
export type IpnsRecord = {
  readonly bytes: Uint8Array
  /** A path such as `/ipfs/<cid>`, unchanged. */
  readonly value: string
  /** End of validity, milliseconds since 1970 UTC. */
  readonly validity: number
  /** The same as text, up to nanoseconds (RFC 3339). */
  readonly validityText: string
  readonly sequence: bigint
  /** Nanoseconds; null: the record has none. */
  readonly ttlNs: bigint | null
  /** True if it also has the fields of V1. */
  readonly hasV1: boolean
}

type Fields = {
  readonly of: (number: number) => ProtobufField | undefined
  readonly data: Uint8Array
  readonly entry: ReadonlyMap<string, unknown>
}

const field = {
  value: 1,
  signatureV1: 2,
  validityType: 3,
  validity: 4,
  sequence: 5,
  ttl: 6,
  publicKey: 7,
  signatureV2: 8,
  data: 9,
} as const

const signaturePrefix = Buffer.from('ipns-signature:')
/** An empty value means the empty identity CID. */
const emptyValue = '/ipfs/bafkqaaa'
const valueCharsMax = 2048
const uint64Max = (1n << 64n) - 1n

/** Throws `command_failed` for bytes that are not a V2 record. */
export function decodeIpnsRecord(bytes: Uint8Array): IpnsRecord {
  const { of, entry } = fieldsOf(bytes)
  const validityText = textOf(entry, 'Validity')
  const validity = parseRfc3339(validityText)
  if (entry.get('ValidityType') !== 0n || validity === null) throw invalid('unknown validity')
  const sequence = entry.get('Sequence')
  const ttlNs = entry.get('TTL') ?? null
  if (typeof sequence !== 'bigint' || sequence < 0n || sequence > uint64Max) {
    throw invalid('Sequence is no unsigned integer')
  }
  if (ttlNs !== null && (typeof ttlNs !== 'bigint' || ttlNs < 0n)) throw invalid('negative TTL')
  const hasV1 = lengthOf(of(field.signatureV1)) > 0 || lengthOf(of(field.value)) > 0
  return { bytes, value: valueOf(entry), validity, validityText, sequence, ttlNs, hasV1 }
}

/** Throws `command_failed` if the record is not signed by the key of `name`, or expired before `now`. */
export function verifyIpnsRecord(
  { bytes, hasV1, validity }: IpnsRecord,
  name: IpnsName,
  now: number,
): void {
  const { of, data, entry } = fieldsOf(bytes)
  const embedded = of(field.publicKey)?.bytes
  const inName = keyInName(name)
  const hasEmbedded = embedded !== undefined && embedded.length > 0
  if (hasEmbedded && !isNameOf(name, embedded)) throw invalid('public key of another name')
  const publicKey = hasEmbedded ? embedded : inName
  if (publicKey === null) throw invalid('public key is missing')
  const signature = of(field.signatureV2)?.bytes
  if (
    signature === undefined ||
    !isSignedBy(decodePublicKey(publicKey), joinBytes([signaturePrefix, data]), signature)
  ) {
    throw invalid('signature verification failed')
  }
  if (hasV1) checkV1(of, entry)
  if (validity <= now) throw new Fault('command_failed', { detail: 'record has expired' })
}

/** Above 0 if `one` replaces `other`: higher sequence number, later end, greater bytes (IPNS Record, Record Verification). */
export function compareIpnsRecords(one: IpnsRecord, other: IpnsRecord): number {
  if (one.sequence !== other.sequence) return one.sequence > other.sequence ? 1 : -1
  if (one.validity !== other.validity) return one.validity - other.validity
  return Buffer.compare(one.bytes, other.bytes)
}

/** `key`: a private key, Ed25519. `validity`: see `IpnsRecord`. `compatible`: with the fields of V1. */
export function createIpnsRecord(
  key: KeyObject,
  {
    value,
    sequence,
    validity,
    ttlNs,
    compatible,
  }: Pick<IpnsRecord, 'value' | 'sequence' | 'validity'> & {
    readonly ttlNs: bigint
    readonly compatible: boolean
  },
): IpnsRecord {
  const valueBytes = Buffer.from(value)
  const end = Buffer.from(new Date(validity).toISOString())
  const data = encodeDagCbor(
    new Map<string, Uint8Array | bigint>([
      ['TTL', ttlNs],
      ['Value', valueBytes],
      ['Sequence', sequence],
      ['Validity', end],
      ['ValidityType', 0n],
    ]),
  )
  const v1 = compatible
    ? [
        ...bytesField(field.value, valueBytes),
        ...bytesField(
          field.signatureV1,
          signBytes(key, joinBytes([valueBytes, end, Buffer.from('EOL')])),
        ),
        ...varintField(field.validityType, 0),
        ...bytesField(field.validity, end),
        ...varintField(field.sequence, sequence),
        ...varintField(field.ttl, ttlNs),
      ]
    : []
  const signature = signBytes(key, joinBytes([signaturePrefix, data]))
  const bytes = joinBytes([
    ...v1,
    ...bytesField(field.signatureV2, signature),
    ...bytesField(field.data, data),
  ])
  return decodeIpnsRecord(bytes)
}

function fieldsOf(bytes: Uint8Array): Fields {
  if (bytes.length > ipnsRecordBytesMax) {
    throw invalid(`record exceeds maximum size of ${ipnsRecordBytesMax} bytes`)
  }
  const fields = decodeFields(bytes)
  const of = (number: number) => fields.findLast((one) => one.number === number)
  const data = of(field.data)?.bytes
  if (data === undefined || data.length === 0) throw invalid('record has no data (V2)')
  const entry = decodeDagCbor(data)
  if (!(entry instanceof Map)) throw invalid('data is no map')
  return { of, data, entry }
}

/** Checks that the values outside the signed data equal those inside. */
function checkV1(of: Fields['of'], entry: Fields['entry']): void {
  const isSame = (number: number, name: string): boolean => {
    const signed = entry.get(name)
    const plain = of(number)
    return signed instanceof Uint8Array
      ? equalBytes(signed, plain?.bytes ?? new Uint8Array(0))
      : (signed ?? 0n) === (plain?.value ?? 0n)
  }
  const isEqual =
    isSame(field.value, 'Value') &&
    isSame(field.validity, 'Validity') &&
    isSame(field.validityType, 'ValidityType') &&
    isSame(field.sequence, 'Sequence') &&
    isSame(field.ttl, 'TTL')
  if (!isEqual) throw invalid('the fields of V1 and V2 differ')
}

function valueOf(entry: Fields['entry']): string {
  const bytes = bytesIn(entry, 'Value')
  if (bytes.length === 0) return emptyValue
  if (bytes[0] !== 0x2f) {
    const cid = decodeCid(bytes)
    if (cid === null) throw invalid('Value is no path')
    return `/ipfs/${cid.toString()}`
  }
  if (bytes.length > valueCharsMax) throw invalid(`Value is over ${valueCharsMax} bytes`)
  return textOf(entry, 'Value')
}

function textOf(entry: Fields['entry'], name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(entry, name))
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new Fault('command_failed', { detail: `invalid IPNS record: ${name} is no text`, cause })
  }
}

function bytesIn(entry: Fields['entry'], name: string): Uint8Array {
  const value = entry.get(name)
  if (!(value instanceof Uint8Array)) throw invalid(`${name} is missing`)
  return value
}

/** In milliseconds, rounded down; null: not a valid time. */
function parseRfc3339(text: string): number | null {
  const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.exec(text)
  if (form === null) return null
  const ms = Date.parse(`${form[1]}${(form[2] ?? '.0').slice(0, 4).padEnd(4, '0')}${form[3]}`)
  return Number.isNaN(ms) ? null : ms
}

function lengthOf(one: ProtobufField | undefined): number {
  return one?.bytes.length ?? 0
}

function invalid(what: string): Fault {
  return new Fault('command_failed', { detail: `invalid IPNS record: ${what}` })
}

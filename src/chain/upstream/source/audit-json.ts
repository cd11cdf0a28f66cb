// Compares a node's JSON with the proved bytes: hashes, positions, sums, senders. Cairn does not serve this JSON, but an upstream
// with wrong values must not answer calls that cannot be proved.
// Tested by src/chain/upstream/source/source-traps.test.ts
import { toHex, toQuantity } from '../../../base/hex.ts'
import { encodeHeaderJson } from '../../../codec/ethereum/header-json.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { decodeEntries } from '../../../codec/ethereum/list.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import { recoverSender } from '../../../codec/ethereum/sender.ts'
import { decodeAnyTransaction, isSystem } from '../../../codec/ethereum/system-transaction.ts'
import { transactionHash, UnsupportedTransaction } from '../../../codec/ethereum/transaction.ts'
import type { Contradiction } from './check-proof.ts'

type Json = Readonly<Record<string, unknown>>

/** `number`: null when it is not known. */
export type AuditedBlock = { readonly hash: Uint8Array; readonly number: bigint | null }

/**
 * `json`: the block's transactions, which were encoded to `list`. Recovers the sender of one transaction, `chosen` by
 * their number: each recovery costs more than all other checks.
 */
export function auditTransactions(
  json: readonly Json[],
  list: Uint8Array,
  block: AuditedBlock,
  chosen: (count: number) => number,
): Contradiction | null {
  const entries = decodeEntries(list)
  for (const [index, entry] of entries.entries()) {
    const reported = json[index] ?? {}
    const lie =
      positionContradiction(reported, index, block) ??
      textContradiction(reported, 'hash', toHex(transactionHash(entry)))
    if (lie !== null) return lie
  }
  const index = chosen(entries.length)
  const [entry, reported] = [entries[index], json[index]]
  const sender = entry === undefined ? null : senderOf(entry)
  return sender === null || reported === undefined
    ? null
    : textContradiction(reported, 'from', toHex(sender))
}

/** `json`: the block's receipts, as they were encoded. */
export function auditReceipts(json: readonly Json[], block: AuditedBlock): Contradiction | null {
  let gasBefore = 0n
  let logIndex = 0
  for (const [index, receipt] of json.entries()) {
    const cumulative = BigInt(String(receipt['cumulativeGasUsed']))
    const lie =
      positionContradiction(receipt, index, block) ??
      numberContradiction(receipt, 'gasUsed', cumulative - gasBefore)
    if (lie !== null) return lie
    gasBefore = cumulative
    for (const log of receipt['logs'] as readonly Json[]) {
      const wrong =
        positionContradiction(log, index, block) ??
        numberContradiction(log, 'logIndex', BigInt(logIndex))
      if (wrong !== null) return wrong
      logIndex += 1
    }
  }
  return null
}

/** Compares the hash member of a block or a header. */
export function auditHash(json: Json, hash: Uint8Array): Contradiction | null {
  return textContradiction(json, 'hash', toHex(hash))
}

/**
 * For a block whose lists were proved: compares its hash member, and the hash of its header's members. A header with a
 * member unknown to Cairn differs too, at every upstream, and then none is blamed.
 */
export function auditHeader(json: Json, hash: Uint8Array): Contradiction | null {
  const wrongHash = auditHash(json, hash)
  if (wrongHash !== null) return wrongHash
  const encoded = encodedOrNull(json)
  const expected = toHex(hash)
  const computed = encoded === null ? expected : toHex(keccak256(encoded))
  return computed === expected ? null : { expected, computed }
}

/** Null for members that cannot be encoded. */
function encodedOrNull(json: Json): Uint8Array | null {
  try {
    return encodeHeaderJson(json)
  } catch (thrown) {
    if (thrown instanceof Malformed) return null
    throw thrown
  }
}

function positionContradiction(
  reported: Json,
  index: number,
  { hash, number }: AuditedBlock,
): Contradiction | null {
  return (
    textContradiction(reported, 'blockHash', toHex(hash)) ??
    numberContradiction(reported, 'transactionIndex', BigInt(index)) ??
    (number === null ? null : numberContradiction(reported, 'blockNumber', number))
  )
}

/** Null also if the member is missing or malformed: a different spelling is not an invalid reply. */
function textContradiction(reported: Json, name: string, truth: string): Contradiction | null {
  const value = reported[name]
  if (typeof value !== 'string' || value.length !== truth.length) return null
  if (value.toLowerCase() === truth) return null
  return { expected: `${name} ${truth}`, computed: `${name} ${value}` }
}

const numberTextMax = 256

function numberContradiction(reported: Json, name: string, truth: bigint): Contradiction | null {
  const value = reported[name]
  if (typeof value !== 'string' || value.length > numberTextMax) return null
  if (!/^0x[0-9a-fA-F]+$/.test(value) || BigInt(value) === truth) return null
  return { expected: `${name} ${toQuantity(truth)}`, computed: `${name} ${value}` }
}

/** Null for an unknown type, or a signature that yields no public key. */
function senderOf(entry: Uint8Array): Uint8Array | null {
  try {
    const transaction = decodeAnyTransaction(entry)
    return isSystem(transaction) ? transaction.from : recoverSender(transaction)
  } catch (thrown) {
    if (thrown instanceof Malformed || thrown instanceof UnsupportedTransaction) return null
    throw thrown
  }
}

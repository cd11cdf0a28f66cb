// Encodes calls of getters by their ABI, for a contract without a known storage layout: `owner`, `balances[0xabc…]`. A node
// reports the slots that the call reads (eth_createAccessList); the caller then finds the slot with the getter's result.
// Source: Solidity documentation, "Contract ABI Specification" and "Getter Functions".
// Tested by test/slot-explorer.test.ts
import { fromHex, toBareHex, toHex } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { StorageLayoutError } from './storage-layout.ts'
import { splitPath } from './storage-path.ts'
import { parseKey } from './storage-slot.ts'

export type GetterCall = {
  /** `balances(address)` */
  readonly signature: string
  /** Input of the call, hex. */
  readonly data: string
  /** Type of the result, as in the ABI. */
  readonly output: string
}

type AbiEntry = {
  readonly type?: unknown
  readonly name?: unknown
  readonly inputs?: unknown
  readonly outputs?: unknown
}

const entriesMax = 10_000

/** The entries of an ABI, or of an artifact that contains one; null for anything else. */
export function findAbi(json: unknown): readonly AbiEntry[] | null {
  const found = Array.isArray(json) ? json : ((json as { abi?: unknown } | null)?.abi ?? null)
  if (!Array.isArray(found) || found.length > entriesMax) return null
  return found.filter((entry) => typeof entry === 'object' && entry !== null) as AbiEntry[]
}

/**
 * `path`: a getter with its arguments in brackets. Throws StorageLayoutError for a getter that does not exist, has an argument
 * of more than one word, or returns more than one value.
 */
export function getterCall(abi: readonly AbiEntry[], path: string): GetterCall {
  const [first, ...keys] = splitPath(path)
  const name = first?.text ?? ''
  if (keys.some(({ kind }) => kind !== 'key')) {
    throw new StorageLayoutError(
      'members need a storage layout: an ABI has only the arguments and results of getters',
    )
  }
  const entry = abi.find(
    (one) =>
      one.type === 'function' && one.name === name && typesOf(one.inputs).length === keys.length,
  )
  if (entry === undefined) {
    throw new StorageLayoutError(
      `the ABI has no getter ${name} that takes ${keys.length} arguments`,
    )
  }
  const inputs = typesOf(entry.inputs)
  const outputs = typesOf(entry.outputs)
  const [output] = outputs
  if (output === undefined || outputs.length !== 1 || !isWord(output)) {
    throw new StorageLayoutError(
      `${name} answers (${outputs.join(', ')}), expected a single value of one word`,
    )
  }
  const signature = `${name}(${inputs.join(',')})`
  const words = inputs.map((type, at) => toBareHex(argument(type, keys[at]?.text ?? '')))
  const selector = toBareHex(keccak256(new TextEncoder().encode(signature)).slice(0, 4))
  return { signature, data: `0x${selector}${words.join('')}`, output }
}

/** Formats one word as a value of the ABI's type. */
export function describeWord(type: string, word: Uint8Array): string | boolean {
  const number = BigInt(toHex(word))
  if (type === 'bool') return number !== 0n
  if (type.startsWith('int')) return BigInt.asIntN(256, number).toString()
  if (type.startsWith('uint')) return number.toString()
  if (type.startsWith('bytes')) return toHex(word.slice(0, Number(type.slice(5))))
  return toHex(word.slice(12))
}

function typesOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return []
  return list.map((one: { type?: unknown } | null) =>
    typeof one?.type === 'string' ? one.type : '',
  )
}

function isWord(type: string): boolean {
  return /^(address|bool|u?int\d{0,3}|bytes([1-9]|[12]\d|3[0-2]))$/.test(type)
}

function argument(type: string, text: string): Uint8Array {
  if (!isWord(type))
    throw new StorageLayoutError(`[${text}]: a key of type ${type} needs a storage layout`)
  if (type.startsWith('bytes')) {
    if (!/^0x([0-9a-fA-F]{2}){1,32}$/.test(text))
      throw new StorageLayoutError(`[${text}]: expected hex with 0x`)
    const word = new Uint8Array(32)
    word.set(fromHex(text))
    return word
  }
  const key = parseKey(text)
  if (key === null || (type === 'address' && !/^0x[0-9a-fA-F]{40}$/.test(text))) {
    throw new StorageLayoutError(`[${text}]: expected a key of type ${type}`)
  }
  return key
}

// Type of a falsehood: a way to falsify honest replies of one kind.
import { seeded } from '../seeded.ts'
import type { StubChain } from './stub-chain.ts'

/** Numbers from 0 to 1, the same for the same seed. */
export type Random = () => number

export type HonestReply = {
  readonly method: string
  readonly params: readonly unknown[]
  /** A copy of the honest result, which may be modified. */
  readonly result: unknown
  readonly random: Random
  readonly chain: StubChain
  /** The honest reply of the stub to another call. */
  honest(method: string, params: readonly unknown[]): Promise<unknown>
}

/**
 * - `contradiction`: contradicts a hash that the request fixes.
 * - `omission`: omits required data and contains nothing wrong.
 * - `harmless`: changes only members that Cairn does not read.
 * - `odd`: one of these, depending on the case.
 */
export type Nature = 'contradiction' | 'omission' | 'harmless' | 'odd'

export type Falsehood = {
  /** The falsified part of a reply; each part has at least one falsehood. */
  readonly subject:
    | 'address'
    | 'slot'
    | 'key'
    | 'value'
    | 'absence'
    | 'block'
    | 'null'
    | 'list'
    | 'header'
    | 'sender'
    | 'unhashed'
    | 'signature'
    | 'sidecar'
    | 'nodes'
    | 'trie'
    | 'kind'
    | 'junk'
  readonly name: string
  readonly nature: Nature
  readonly methods: readonly string[]
  /** The false result; undefined if this result cannot be falsified in this way. */
  falsify(reply: HonestReply): unknown
}

/** Numbers from 0 to 1. */
export function createRandom(seed: number): Random {
  const word = seeded(seed)
  return () => word(2 ** 32) / 2 ** 32
}

export function pick<Value>(random: Random, values: readonly Value[]): Value | undefined {
  return values[Math.floor(random() * values.length)]
}

/** Flips one bit of the hex text; undefined if it is empty. */
export function flipBit(random: Random, hex: string): string | undefined {
  if (hex.length <= 2) return undefined
  const at = 2 + Math.floor(random() * (hex.length - 2))
  const digit = Number.parseInt(hex.charAt(at), 16) ^ (1 << Math.floor(random() * 4))
  return hex.slice(0, at) + digit.toString(16) + hex.slice(at + 1)
}

/** Adds one to the integer of a QUANTITY. */
export function addOne(quantity: unknown): string {
  return `0x${(BigInt(String(quantity)) + 1n).toString(16)}`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

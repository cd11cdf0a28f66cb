// A proof bundle: a request, the header of its block and the trie nodes that prove the answer, as JSON
// (docs/guides/verify-an-answer.md). Bundles come from untrusted sources: this module checks members, types and counts, and
// verify-bundle.ts the proof.
import { isNestedDeeper } from '../../base/json-depth.ts'

/** `block`, `header`: null if the bundle proves nothing; then `nodes` is empty. Bytes are hex. */
export type ProofBundle = {
  /** 2: the bundle has `codes`. */
  readonly v: 1 | 2
  readonly chainId: string
  readonly method: string
  readonly params: readonly unknown[]
  readonly block: { readonly hash: string; readonly number: string } | null
  /** Level and anchor as in `x-cairn-verified` and `x-cairn-head`. */
  readonly verified: string | null
  readonly head: string | null
  readonly header: string | null
  /** Trie nodes and uncle lists, each once, in the order of the reads. */
  readonly nodes: readonly string[]
  /** For eth_getCode, if the account has code. */
  readonly code?: string
  /** For a call: the code of the contracts that it ran, each once. */
  readonly codes?: readonly string[]
}

/** A block of 100,000 transactions needs slightly more nodes than that for each of its two tries. */
const nodesMax = 300_000
const nestingMax = 8
/** Equals the number of accounts that one call may read. */
const codesMax = 512

const bytesForm = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * `value`: a bundle, or a JSON-RPC reply that contains one; then `result` is the result in that reply. Returns an error sentence if
 * it is neither.
 */
export function parseBundle(
  value: unknown,
): { readonly bundle: ProofBundle; readonly claimed: unknown } | { readonly refused: string } {
  const outer = membersOf(value)
  if (outer === null) return { refused: 'a bundle is a JSON object' }
  const inner = outer.has('proof') ? membersOf(outer.get('proof')) : outer
  if (inner === null) return { refused: 'the reply carries no bundle' }
  const version = inner.get('v')
  if (version !== 1 && version !== 2) return { refused: 'the bundle is not of version 1 or 2' }
  const [method, params, nodes] = ['method', 'params', 'nodes'].map((name) => inner.get(name))
  const [header, code] = [inner.get('header') ?? null, inner.get('code')]
  const codes = inner.get('codes')
  if (typeof method !== 'string') return { refused: 'the bundle names no method' }
  if (!Array.isArray(params) || isNestedDeeper(params, nestingMax)) {
    return { refused: 'the bundle names no params' }
  }
  if (header !== null && !isBytes(header)) return { refused: 'the header is not hex' }
  if (code !== undefined && !isBytes(code)) return { refused: 'the code is not hex' }
  if (codes !== undefined && !isCodes(codes)) {
    return { refused: `codes is not a list of at most ${codesMax} codes in hex` }
  }
  if (!Array.isArray(nodes) || nodes.length > nodesMax) {
    return { refused: `nodes is not a list of at most ${nodesMax}` }
  }
  const bad = nodes.findIndex((node: unknown) => !isBytes(node))
  if (bad >= 0) return { refused: `node ${bad} is not hex` }
  const bundle: ProofBundle = {
    v: version,
    chainId: textOf(inner.get('chainId')) ?? '',
    method,
    params: params as readonly unknown[],
    block: null,
    verified: textOf(inner.get('verified')),
    head: textOf(inner.get('head')),
    header,
    nodes: nodes as readonly string[],
    ...(code === undefined ? {} : { code }),
    ...(codes === undefined ? {} : { codes }),
  }
  return { bundle, claimed: outer.has('proof') ? outer.get('result') : undefined }
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return new Map(Object.entries(value))
}

function isCodes(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= codesMax && value.every(isBytes)
}

function isBytes(value: unknown): value is string {
  return typeof value === 'string' && bytesForm.test(value)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

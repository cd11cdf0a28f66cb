// Verifies a proof bundle offline: computes the answer again from the block hash and the request that the VERIFIER supplies, with
// the nodes of the bundle. The bundle's own claims are compared, never trusted.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import { Fault } from '../../base/fault.ts'
import { equalBytes, fromHex, toHex, toQuantity } from '../../base/hex.ts'
import type { KnownNetwork } from '../../base/known-network.ts'
import { blobFractionAt } from '../../base/known-networks.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { Malformed } from '../../codec/ethereum/rlp.ts'
import type { ProvedCalls } from '../../chain/network.ts'
import type { ProvedHeader } from '../../chain/proved-memory.ts'
import type { RpcOperation } from '../operation.ts'
import type { ProofBundle } from './proof-bundle.ts'
import { replay } from './bundle-replay.ts'

export type ReadersRequest = {
  /** 32 bytes: the block that the verifier expects. It is the only trusted input. */
  readonly blockHash: Uint8Array
  /** Null: the request that the bundle names; then the verifier must check the request in the verdict. */
  readonly expectedRequest: { readonly method: string; readonly params: readonly unknown[] } | null
  /** The update fraction of blob base fees in force at the block (EIP-7840); null: not known. */
  readonly blobFeeFraction: bigint | null
  /** Runs calls by the fork schedule that the verifier supplies. Absent: bundles of calls are refused. */
  readonly calls?: ProvedCalls
  /** The network that the verifier expects, for members that depend on its rules. Absent: the result lacks these members. */
  readonly known?: KnownNetwork
}

/** The proved answer: the request in the bundle's form, its block, and the JSON text of the result. */
export type ProvedAnswer = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly block: { readonly hash: string; readonly number: string }
  readonly result: string
}

export type BundleVerdict = ProvedAnswer | { readonly refused: string }

/** Its message is one sentence: why the bundle does not prove the answer. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** Pure. `operations`: all that have bundles; each runs its own requests. */
export async function verifyBundle(
  bundle: ProofBundle,
  request: ReadersRequest,
  operations: ReadonlyMap<string, RpcOperation<unknown>>,
): Promise<BundleVerdict> {
  try {
    const block = readHeader(bundle, request.blockHash)
    const named = { method: bundle.method, params: bundle.params }
    const expected = normalise(request.expectedRequest ?? named, block, operations)
    if (
      JSON.stringify(expected.params) !== JSON.stringify(bundle.params) ||
      expected.method !== bundle.method
    ) {
      throw new Refusal(`the bundle is for ${spell(named)}, not for ${spell(expected)}`)
    }
    const { result } = await replay(expected.operation, expected.operation.parse(expected.params), {
      block,
      pieces: [...bundle.nodes, ...codesIn(bundle)].map(fromHex),
      calls: request.calls,
      ...(request.known !== undefined && { known: request.known }),
      blobFeeFraction: (timestamp) =>
        request.blobFeeFraction ?? blobFractionAt(request.known?.blobFractions ?? [], timestamp),
    })
    return {
      method: expected.method,
      params: expected.params,
      block: { hash: toHex(block.hash), number: toQuantity(block.header.number) },
      result: JSON.stringify(result),
    }
  } catch (thrown) {
    return { refused: printable(sentenceOf(thrown)) }
  }
}

function codesIn({ code, codes = [] }: ProofBundle): readonly string[] {
  return code === undefined ? codes : [code, ...codes]
}

function readHeader({ header, verified }: ProofBundle, blockHash: Uint8Array): ProvedHeader {
  if (header === null) {
    throw new Refusal(
      `the bundle contains no proof: its answer is labelled ${verified ?? 'unproved'}`,
    )
  }
  const bytes = fromHex(header)
  const hash = keccak256(bytes)
  if (!equalBytes(hash, blockHash)) {
    throw new Refusal(`the bundle's header is that of block ${toHex(hash)}`)
  }
  return { hash, bytes, header: decodeHeader(bytes) }
}

type Normalised = {
  readonly operation: RpcOperation<unknown>
  readonly method: string
  readonly params: readonly unknown[]
}

/** The request in the form that bundles use. Throws what `parse` throws, and Refusal if it is for another block. */
function normalise(
  { method, params }: { readonly method: string; readonly params: readonly unknown[] },
  { hash, header }: ProvedHeader,
  operations: ReadonlyMap<string, RpcOperation<unknown>>,
): Normalised {
  const requested = operations.get(method)
  if (requested?.bundle === undefined) throw new Refusal(`${method.slice(0, 100)} has no bundles`)
  const input = requested.parse(params)
  const block = requested.bundle.block(input)
  if (block !== null && 'hash' in block && !equalBytes(block.hash, hash)) {
    throw new Refusal(`the request is for block ${toHex(block.hash)}`)
  }
  if (block !== null && 'number' in block && block.number !== header.number) {
    throw new Refusal(
      `the request is for block ${block.number}, and this is block ${header.number}`,
    )
  }
  if (block !== null && 'tag' in block && block.tag === 'pending') {
    throw new Refusal('a pending block cannot be proved')
  }
  const named = requested.bundle.params(input, toHex(hash), header.number)
  const { as } = requested.bundle
  const operation = as === undefined ? requested : operations.get(as)
  if (operation === undefined || named === null) {
    throw new Refusal(`${method} has no bundles for these params`)
  }
  return { operation, method: operation.name, params: named }
}

function spell({ method, params }: Pick<ProofBundle, 'method' | 'params'>): string {
  const text = `${method} ${JSON.stringify(params)}`
  return text.length <= 400 ? text : `${text.slice(0, 400)}...`
}

/** Sentences quote untrusted text, and terminals print them. */
function printable(sentence: string): string {
  return sentence.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sentenceOf(thrown: unknown): string {
  if (thrown instanceof Refusal || thrown instanceof Fault) return thrown.message
  if (thrown instanceof Malformed) return `the bundle is ${thrown.message}`
  throw thrown
}

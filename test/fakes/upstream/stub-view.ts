// The chain as one stub upstream sees it: canonical blocks, abandoned blocks, and blocks that it does not have yet.
import type { StubBlock } from './stub-chain.ts'
import type { StubKnobs } from './stub-knobs.ts'

/** A JSON-RPC error object, thrown by the code that replies to a call. */
export class StubError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export type StubView = {
  /** The block of `latest`, with `lag` subtracted. */
  readonly head: StubBlock
  /** Finds a block by hash, also an abandoned one. Null if it does not have it. */
  byHash(hash: string): StubBlock | null
  byNumber(number: bigint): StubBlock | null
  isCanonical(block: StubBlock): boolean
  /** Resolves a tag, number, hash or EIP-1898 object. Null if there is no such block; throws StubError on another form. */
  resolve(parameter: unknown): StubBlock | null
  /** Switches to the chain that ends with these blocks; replaced blocks remain available by hash. */
  follow(blocks: readonly StubBlock[]): void
}

export function createStubView(first: readonly StubBlock[], knobs: StubKnobs): StubView {
  const canonical = [...first]
  const left = new Map<string, StubBlock>()

  function headIndex(): number {
    return Math.max(0, canonical.length - 1 - knobs.lag)
  }

  function head(): StubBlock {
    const block = canonical[headIndex()]
    if (block === undefined) throw new RangeError('a stub upstream needs a block')
    return block
  }

  function byNumber(number: bigint): StubBlock | null {
    return number > BigInt(headIndex()) ? null : (canonical[Number(number)] ?? null)
  }

  function byHash(hash: string): StubBlock | null {
    const wanted = hash.toLowerCase()
    const orphan = left.get(wanted)
    if (orphan !== undefined) return orphan
    return canonical.slice(0, headIndex() + 1).find((block) => block.hash === wanted) ?? null
  }

  function byText(text: string): StubBlock | null {
    if (/^0x[0-9a-f]{64}$/i.test(text)) return byHash(text)
    if (/^0x[0-9a-f]{1,16}$/i.test(text)) return byNumber(BigInt(text))
    if (text === 'earliest') return byNumber(0n)
    if (['latest', 'pending', 'safe', 'finalized'].includes(text)) return head()
    throw new StubError(-32602, 'invalid argument 0: hex string without 0x prefix')
  }

  return {
    get head() {
      return head()
    },
    byHash,
    byNumber,
    isCanonical: (block) => byNumber(block.number) === block,
    resolve(parameter) {
      if (parameter === undefined) return head()
      if (typeof parameter === 'string') return byText(parameter)
      if (typeof parameter !== 'object' || parameter === null) {
        throw new StubError(-32602, 'invalid argument: block number or hash expected')
      }
      if (!knobs.blockHashParameter) {
        throw new StubError(
          -32602,
          'invalid argument 1: json: cannot unmarshal object into Go value of type string',
        )
      }
      const { blockHash, blockNumber, requireCanonical } = parameter as Record<string, unknown>
      if (typeof blockHash !== 'string') return byText(String(blockNumber))
      const block = byHash(blockHash)
      if (block !== null && requireCanonical === true && byNumber(block.number) !== block) {
        throw new StubError(-32000, 'hash is not currently canonical')
      }
      return block
    },
    follow(blocks) {
      for (const block of blocks) {
        const old = canonical[Number(block.number)]
        if (old !== undefined) {
          for (const removed of canonical.splice(Number(block.number)))
            left.set(removed.hash, removed)
        }
        canonical.push(block)
        left.delete(block.hash)
      }
    },
  }
}

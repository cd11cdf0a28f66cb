// The light client as a source of the head follower: its blocks are signed by two thirds of a sync committee. As for every source,
// the follower takes a block's number and parents from its proved header.
// Tested by src/chain/upstream/head/consensus-heads.test.ts
import { toHex, toLatin1 } from '../../../base/hex.ts'
import { setNewest } from '../../../base/lru-cache.ts'
import type { Anchor } from '../../head.ts'
import type { HeadSource } from './head-source.ts'

/** `signers`: members of the sync committee that signed it. */
type SignedBlock = { readonly hash: Uint8Array; readonly signers: number }

export type ConsensusWitness = {
  /** Members of a sync committee. */
  readonly members: number
  /** Maximum of blocks by which a trusted upstream's head may be ahead of the signed one; 0: the signed block is the head. */
  readonly aheadMax: number
  /** Null: no block is recent enough. */
  head(): { readonly latest: SignedBlock; readonly finalized: SignedBlock } | null
  /** Milliseconds since the slot of the newest signed block began. */
  ageMs(): number
  /** Why every tag must be refused; null: tags may be served. */
  refusal(): string | null
  /** Why there is no head, as text for operators. */
  reason(): string
  /** Calls `listener` for each change. Returns a stop function. */
  watch(listener: () => void): () => void
}

export type ConsensusSource = HeadSource & { anchorOf(hash: Uint8Array): Anchor | null }

/** Number of blocks with stored signers: more than the votes of the follower. */
const signedMax = 64

export function createConsensusSource(witness: ConsensusWitness): ConsensusSource {
  const signed = new Map<string, number>()
  return {
    name: 'consensus',
    trusted: false,
    isPushing: true,
    get usable() {
      return witness.head() !== null
    },
    async call(_method, [tag]) {
      const head = witness.head()
      if (head === null) return null
      const { hash, signers } = tag === 'latest' ? head.latest : head.finalized
      setNewest(signed, toLatin1(hash), signers, signedMax)
      // The follower reads the number from the proved header.
      return { hash: toHex(hash), number: '0x0' }
    },
    confirmChain: async () => {},
    watchHeads(onHead) {
      witness.watch(() => {
        const head = witness.head()
        if (head !== null) void onHead(head.latest.hash)
      })
    },
    setLag() {},
    anchorOf(hash) {
      const signers = signed.get(toLatin1(hash))
      return signers === undefined ? null : `consensus:${signers}/${witness.members}`
    },
  }
}

// The light client's heads as one more source of the head follower: a witness whose blocks two thirds of a sync committee
// signed. The block's number and parents come from its proved header, as for every source.
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
  /** How many blocks a trusted upstream's head may be ahead of the signed one; 0: the signed one is the head. */
  readonly aheadMax: number
  /** Null: none that is recent enough. */
  head(): { readonly latest: SignedBlock; readonly finalized: SignedBlock } | null
  /** Milliseconds since the slot of the newest signed block began. */
  ageMs(): number
  /** Why no tag may be served at all; null: they may. */
  refusal(): string | null
  /** Why there is no head, for operators. */
  reason(): string
  /** Calls `listener` for each change. Returns a stop function. */
  watch(listener: () => void): () => void
}

export type ConsensusSource = HeadSource & { anchorOf(hash: Uint8Array): Anchor | null }

/** Blocks whose signers are remembered: more than the votes of the follower. */
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

// An operation run over evidence alone: what it answers follows from one block hash and the pieces it asked for.
// Making and verifying a bundle both use it.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import type { Caller } from '../../access/accounts/caller.ts'
import { defaultAccountSettings, defaultKeySettings } from '../../access/accounts/key-settings.ts'
import { Fault } from '../../base/fault.ts'
import { equalBytes } from '../../base/hex.ts'
import {
  createProofDataNetwork,
  type ProofData,
  type UsedPieces,
} from '../../chain/proof-data-network.ts'
import type { BlockRef } from '../../chain/head.ts'
import { isWeaker, type Level } from '../../chain/level.ts'
import { type BlockParameter, type RpcOperation, runOperation } from '../operation.ts'
import { known } from '../../chain/read.ts'

export type Replayed = {
  /** A JSON value. */
  readonly result: unknown
  /** What the answer needs beside the block's header. */
  readonly used: UsedPieces
}

/** Every block that `input` names must be the one of the evidence. Throws Fault `unverified`, saying what is lacking. */
export async function replay<Input>(
  operation: RpcOperation<Input>,
  input: Input,
  evidence: ProofData,
): Promise<Replayed> {
  const { network, used } = createProofDataNetwork(evidence)
  const only = network.head.latest()
  let weakest: Level | null = null
  const result = await runOperation(operation, input, {
    caller: anonymousCaller,
    network,
    resolve(parameter) {
      if (isOf(parameter, only)) return known(only)
      const detail = 'the evidence is of another block than was asked for'
      throw new Fault('unverified', { detail })
    },
    labels: {
      level(level) {
        if (weakest === null || isWeaker(level, weakest)) weakest = level
      },
      block: () => {},
    },
    signal: new AbortController().signal,
  })
  if (weakest !== 'proof') {
    const detail = 'the evidence does not lead to what was asked for'
    throw new Fault('unverified', { detail })
  }
  return { result, used: used() }
}

/** A verifier cannot resolve a tag, so the tag stands for the block of the bundle. */
function isOf(parameter: BlockParameter, { hash, number }: BlockRef): boolean {
  if ('hash' in parameter) return equalBytes(parameter.hash, hash)
  return 'tag' in parameter || parameter.number === number
}

/** No operation with a bundle looks at its caller. */
export const anonymousCaller: Caller = {
  accountId: '',
  accountName: '',
  keyId: '',
  hasCard: false,
  settings: defaultKeySettings,
  quotas: defaultAccountSettings,
  withSecret: false,
  allowlists: null,
}

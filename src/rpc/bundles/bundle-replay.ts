// Runs an operation over the data of a proof bundle alone: its result follows from one block hash and the pieces that it read.
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
import { resolvedRead } from '../../chain/read.ts'

export type Replayed = {
  /** A JSON value. */
  readonly result: unknown
  /** The pieces that the answer needs besides the block's header. */
  readonly used: UsedPieces
}

/** Every block that `input` names must be the block of the evidence. Throws Fault `unverified` with the missing part. */
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
      if (isOf(parameter, only)) return resolvedRead(only)
      const detail = 'the bundle is for another block than requested'
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
    const detail = 'the bundle lacks data that the answer needs'
    throw new Fault('unverified', { detail })
  }
  return { result, used: used() }
}

/** A verifier cannot resolve a tag, so any tag matches the block of the bundle. */
function isOf(parameter: BlockParameter, { hash, number }: BlockRef): boolean {
  if ('hash' in parameter) return equalBytes(parameter.hash, hash)
  return 'tag' in parameter || parameter.number === number
}

/** Operations with bundles do not read the caller. */
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

// `[address, block?]`, the arguments of the methods that read one account.
// Tested by src/rpc/params/params.test.ts
import type { BlockParameter } from '../operation.ts'
import { optional, parseAddress, parseArguments, required } from './arguments.ts'
import { latestBlock, parseBlockParameter } from './block-parameter.ts'

export type AccountInput = { readonly address: Uint8Array; readonly block: BlockParameter }

/** Throws `bad_params`. */
export function parseAccountInput(params: readonly unknown[]): AccountInput {
  const [address, block] = parseArguments(params, [
    required(parseAddress),
    optional(parseBlockParameter, latestBlock),
  ])
  return { address, block }
}

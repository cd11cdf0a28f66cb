// What the EVM of a forked chain lacks: content of the forked network, which the request thread fetches, verifies and stores.
// The EVM's threads have no network. Everything is structured-clonable.
// Tested by test/fork/fork.test.ts
import { Fault } from '../../base/fault.ts'
import { type PackedFailure, packFailure, unpackFailure } from '../packed-failure.ts'

/** `block`: hash of a block up to the fork, whose state is read; null: the block of the fork. `address`: 20 bytes. */
export type ForkRead =
  | {
      readonly kind: 'account' | 'code'
      readonly block: Uint8Array | null
      readonly address: Uint8Array
    }
  | {
      readonly kind: 'slot'
      readonly block: Uint8Array | null
      readonly address: Uint8Array
      /** 32 bytes. */
      readonly position: Uint8Array
    }
  /** The hash of the block of that number, below the fork. */
  | { readonly kind: 'hash'; readonly number: bigint }

/**
 * Resolves when the nodes and the code of the read are stored on disk; with a hash (32 bytes) for a `hash`, else null. Rejects
 * with `ForkReadFailed`.
 */
export type ReadFork = (read: ForkRead) => Promise<Uint8Array | null>

/** The answer to a read on its way to the thread. */
export type ForkReadResult =
  | { readonly hash: Uint8Array | null }
  | { readonly failure: PackedFailure }

/** Never rejects. */
export async function answerRead(read: ForkRead, load: ReadFork): Promise<ForkReadResult> {
  try {
    return { hash: await load(read) }
  } catch (error) {
    return { failure: packFailure(error) }
  }
}

/** In the thread. Throws `ForkReadFailed`. */
export function resultOf(result: ForkReadResult): Uint8Array | null {
  if ('hash' in result) return result.hash
  throw asForkFailure(unpackFailure(result.failure))
}

/** A read of the forked network failed. The block or call in the making cannot go on, and nothing of it is stored. */
export class ForkReadFailed extends Fault {}

/** As `ForkReadFailed`, with the code and the text of a Fault; any other error stays as it is. */
function asForkFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || thrown instanceof ForkReadFailed) return thrown
  const { code, message: detail, data } = thrown
  return new ForkReadFailed(code, {
    detail,
    ...(data === undefined ? {} : { data }),
    cause: thrown,
  })
}

/** The local store lacks content that the forked network has. Caught where the account and the slot are known. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
}

// Reads of content that the EVM of a fork lacks. The request thread fetches, verifies and stores content of the forked network;
// the EVM's threads have no network access. Everything is structured-clonable.
// Tested by test/fork/fork.test.ts
import { Fault } from '../../base/fault.ts'
import { type PackedFailure, packFailure, unpackFailure } from '../../evm/threads/packed-failure.ts'

/** `block`: hash of the block whose state is read, at or below the fork; null: the forked block. `address`: 20 bytes. */
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
 * Resolves when the nodes and the code of the read are stored on disk: with the hash (32 bytes) for a read of kind `hash`, else
 * with null. Rejects with `ForkReadFailed`.
 */
export type ReadFork = (read: ForkRead) => Promise<Uint8Array | null>

/** Message with the result of a read, for the EVM's thread. */
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

/** Decodes the message in the EVM's thread. Throws `ForkReadFailed`. */
export function resultOf(result: ForkReadResult): Uint8Array | null {
  if ('hash' in result) return result.hash
  throw asForkFailure(unpackFailure(result.failure))
}

/** A read of the forked network failed. The current block or call cannot continue, and nothing of it is stored. */
export class ForkReadFailed extends Fault {}

/** Converts a Fault to `ForkReadFailed` with the same code and text; returns any other error unchanged. */
function asForkFailure(thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || thrown instanceof ForkReadFailed) return thrown
  const { code, message: detail, data } = thrown
  return new ForkReadFailed(code, {
    detail,
    ...(data === undefined ? {} : { data }),
    cause: thrown,
  })
}

/** The local store lacks content of the forked network. Caught where the account and the slot are known. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
}

// The whole check of a bundle, in the page: what `cairn verify` does, with the same code. Fetched when it is needed.
// Tested by test/browser/proof.test.ts
import { fromHex } from '../../src/base/hex.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createSenderCache } from '../../src/ethereum/sender-cache.ts'
import { createRpcOperations } from '../../src/gateway/operations/index.ts'
import { parseBundle } from '../../src/gateway/proof-bundle.ts'
import { verifyBundle } from '../../src/gateway/verify-bundle.ts'

export type Check =
  | { readonly proved: true; readonly result: string; readonly sameAsTold: boolean }
  | { readonly proved: false; readonly why: string }

const sendersMax = 10_000

/** `trusted`: hash of the block that the reader means; `told`: the result as the reply has it. */
export async function checkAnswer(bundle: unknown, trusted: string, told: unknown): Promise<Check> {
  const parsed = parseBundle(bundle)
  if ('refused' in parsed) return { proved: false, why: parsed.refused }
  const operations = createRpcOperations({
    clientVersion: '',
    clock: systemClock,
    findSender: createSenderCache(sendersMax).find,
  })
  const request = { blockHash: fromHex(trusted), asked: null, blobFeeFraction: null }
  const verdict = await verifyBundle(parsed.bundle, request, operations)
  if ('refused' in verdict) return { proved: false, why: verdict.refused }
  return {
    proved: true,
    result: verdict.result,
    sameAsTold: covers(told, JSON.parse(verdict.result)),
  }
}

/** Everything proved is told alike; members that no header commits to may be told besides. */
function covers(told: unknown, proved: unknown): boolean {
  if (typeof proved !== 'object' || proved === null) return told === proved
  if (typeof told !== 'object' || told === null) return false
  return Object.entries(proved).every(([name, value]) =>
    covers((told as Record<string, unknown>)[name], value),
  )
}

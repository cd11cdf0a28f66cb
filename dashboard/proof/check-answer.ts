// Verifies a proof bundle in the browser, with the code of `cairn verify`. Loaded on first use.
// Tested by test/browser/proof.test.ts
import { fromHex } from '../../src/base/hex.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { ProvedCalls } from '../../src/chain/network.ts'
import { createSenderCache } from '../../src/chain/sender-cache.ts'
import { createRpcOperations } from '../../src/rpc/methods/index.ts'
import { parseBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { verifyBundle } from '../../src/rpc/bundles/verify-bundle.ts'

export type Check =
  | { readonly proved: true; readonly result: string; readonly matchesReply: boolean }
  | { readonly proved: false; readonly why: string }

const sendersMax = 10_000

/**
 * `trusted`: the block hash that the person trusts; `replied`: the result in the reply; `calls`: executes calls; without it,
 * bundles of calls are refused.
 */
export async function checkAnswer(
  bundle: unknown,
  trusted: string,
  replied: unknown,
  calls: ProvedCalls | null = null,
): Promise<Check> {
  if (!/^0x[0-9a-f]{64}$/.test(trusted)) {
    return { proved: false, why: `"${trusted}" is no block hash: expected 0x and 64 hex digits` }
  }
  const parsed = parseBundle(bundle)
  if ('refused' in parsed) return { proved: false, why: parsed.refused }
  const operations = createRpcOperations({
    clientVersion: '',
    clock: systemClock,
    findSender: createSenderCache(sendersMax).find,
  })
  const request = {
    blockHash: fromHex(trusted),
    expectedRequest: null,
    blobFeeFraction: null,
    ...(calls !== null && { calls }),
  }
  const verdict = await verifyBundle(parsed.bundle, request, operations)
  if ('refused' in verdict) return { proved: false, why: verdict.refused }
  return {
    proved: true,
    result: verdict.result,
    matchesReply: covers(replied, JSON.parse(verdict.result)),
  }
}

/** Whether the reply contains every proved value. It may have more members, which no header commits to. */
function covers(replied: unknown, proved: unknown): boolean {
  if (typeof proved !== 'object' || proved === null) return replied === proved
  if (typeof replied !== 'object' || replied === null) return false
  return Object.entries(proved).every(([name, value]) =>
    covers((replied as Record<string, unknown>)[name], value),
  )
}

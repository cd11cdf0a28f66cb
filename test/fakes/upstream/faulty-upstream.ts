// Makes a stub upstream faulty: replaces each reply that can be falsified with a false one, selected by seed.
import { createHash } from 'node:crypto'
import { createRandom, type Falsehood } from './falsehood.ts'
import { junkFalsehoods } from './falsify-anything.ts'
import { falseBlocks, falseHints, falseReceipts } from './falsify-blocks.ts'
import { falseCode, falseProofs, falseValues } from './falsify-proofs.ts'
import { falseRaw } from './falsify-raw.ts'
import type { StubCall } from './stub-knobs.ts'
import type { StubUpstream } from './stub-upstream.ts'

export const falsehoods: readonly Falsehood[] = [
  ...falseProofs,
  ...falseCode,
  ...falseValues,
  ...falseBlocks,
  ...falseReceipts,
  ...falseHints,
  ...falseRaw,
  ...junkFalsehoods,
]

export type FalseReply = {
  readonly falsehood: Falsehood
  readonly call: StubCall
  /** Digest of call and false reply. */
  readonly digest: string
}

export type FaultyUpstream = {
  /** The false replies so far, in order. */
  readonly sent: readonly FalseReply[]
  /** Sends honest replies from now on. */
  recover(): void
}

export type FaultyUpstreamOptions = {
  readonly seed: number
  /** Default: all falsehoods. */
  readonly among?: readonly Falsehood[]
  /** Falsifies one in this many replies. Default 1: each. */
  readonly onceIn?: number
  /** Falsifies only replies to these calls, such as those for one slot or for blocks from some number on. */
  readonly only?: (call: StubCall) => boolean
}

/** The same seed and falsehoods produce the same false replies. */
export function makeFaultyUpstream(
  stub: StubUpstream,
  options: FaultyUpstreamOptions,
): FaultyUpstream {
  const { seed, among = falsehoods, onceIn = 1, only = () => true } = options
  const sent: FalseReply[] = []
  stub.knobs.falsify = async (call, honest) => {
    if (!('result' in honest) || !only(call)) return null
    // Depends only on the call, so that two upstreams with the same seed agree.
    const text = JSON.stringify([call.method, call.params])
    const random = createRandom(seed ^ createHash('sha256').update(text).digest().readUInt32BE(0))
    if (random() >= 1 / onceIn) return null
    const fitting = among.filter(({ methods }) => methods.includes(call.method))
    const start = Math.floor(random() * fitting.length)
    for (const at of fitting.keys()) {
      const falsehood = fitting[(start + at) % fitting.length]
      if (falsehood === undefined) continue
      const result = await falsehood.falsify({
        method: call.method,
        params: call.params,
        result: structuredClone(honest.result),
        random,
        chain: stub.chain,
        honest: stub.honest,
      })
      if (result === undefined) continue
      const digest = createHash('sha256').update(text).update(JSON.stringify(result)).digest('hex')
      sent.push({ falsehood, call, digest })
      return { result }
    }
    return null
  }
  return {
    sent,
    recover() {
      stub.knobs.falsify = null
    },
  }
}

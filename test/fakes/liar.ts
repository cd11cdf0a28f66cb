// Makes a stub upstream a liar: of each honest reply that can be falsified it tells one falsehood, chosen by seed.
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

export type Told = {
  readonly falsehood: Falsehood
  readonly call: StubCall
  /** Of the false reply: equal for equal replies to equal calls. */
  readonly digest: string
}

export type Liar = {
  /** What was told so far, in order. */
  readonly told: readonly Told[]
  /** Honest from now on. */
  repent(): void
}

export type LiarOptions = {
  readonly seed: number
  /** Default: all there are. */
  readonly among?: readonly Falsehood[]
  /** Lies on one in so many of the replies that it can falsify. Default 1: on each. */
  readonly onceIn?: number
  /** Lies only about these calls: of one slot, of blocks from some number on. */
  readonly only?: (call: StubCall) => boolean
}

/** Two with the same seed and falsehoods tell the same. */
export function makeLiar(stub: StubUpstream, options: LiarOptions): Liar {
  const { seed, among = falsehoods, onceIn = 1, only = () => true } = options
  const told: Told[] = []
  stub.knobs.lie = async (call, honest) => {
    if (!('result' in honest) || !only(call)) return null
    // By the call, not by how many came before: so two of one seed agree.
    const text = JSON.stringify([call.method, call.params])
    const random = createRandom(seed ^ createHash('sha256').update(text).digest().readUInt32BE(0))
    if (random() >= 1 / onceIn) return null
    const fitting = among.filter(({ methods }) => methods.includes(call.method))
    const start = Math.floor(random() * fitting.length)
    for (const at of fitting.keys()) {
      const falsehood = fitting[(start + at) % fitting.length]
      if (falsehood === undefined) continue
      const result = await falsehood.tell({
        method: call.method,
        params: call.params,
        result: structuredClone(honest.result),
        random,
        chain: stub.chain,
        honest: stub.honest,
      })
      if (result === undefined) continue
      const digest = createHash('sha256').update(text).update(JSON.stringify(result)).digest('hex')
      told.push({ falsehood, call, digest })
      return { result }
    }
    return null
  }
  return {
    told,
    repent() {
      stub.knobs.lie = null
    },
  }
}

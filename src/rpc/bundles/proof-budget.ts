// How much the bundles of one request may hold: they are all in memory until the reply is written, and its cap is
// judged only then.
import { Fault } from '../../base/fault.ts'
import type { ProofBundle } from './proof-bundle.ts'

/** Characters of hex: twice the bytes of nodes. Two of the largest replies by default. */
const charsMax = 50 * 1024 * 1024

export class ProofBudget {
  #left: number

  constructor(chars = charsMax) {
    this.#left = chars
  }

  /** Before the work. Throws `response_too_large` when nothing is left. */
  judge(): void {
    if (this.#left < 0) throw new Fault('response_too_large')
  }

  /** After it: the bundle that goes over is not given either. */
  take({ header, nodes, code, codes = [] }: ProofBundle): void {
    this.#left -= (header?.length ?? 0) + (code?.length ?? 0)
    for (const one of codes) this.#left -= one.length
    for (const node of nodes) this.#left -= node.length
    this.judge()
  }
}

// Limits the total size of the bundles of one request: all of them stay in memory until the reply is written, and only then is the
// reply's size checked.
import { Fault } from '../../base/fault.ts'
import type { ProofBundle } from './proof-bundle.ts'

/** Hex characters: twice the bytes of the nodes. By default, two replies of the largest size. */
const charsMax = 50 * 1024 * 1024

export class ProofBudget {
  #left: number

  constructor(chars = charsMax) {
    this.#left = chars
  }

  /** Call before the work. Throws `response_too_large` if the budget is used up. */
  check(): void {
    if (this.#left < 0) throw new Fault('response_too_large')
  }

  /** Call after the work. Throws `response_too_large` if this bundle exceeds the budget. */
  add({ header, nodes, code, codes = [] }: ProofBundle): void {
    this.#left -= (header?.length ?? 0) + (code?.length ?? 0)
    for (const one of codes) this.#left -= one.length
    for (const node of nodes) this.#left -= node.length
    this.check()
  }
}

// hardhat_setPrevRandao [word]: sets PREVRANDAO of the next block only.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

export const hardhatSetPrevRandao = devMethods<Uint8Array>({
  names: ['hardhat_setPrevRandao'],
  summary: 'Sets PREVRANDAO of the next block.',
  params: [requiredParam('prevRandao', wire.word)],
  result: wire.flag,
  parse: (params) => parseArguments(params, [required(parseHash)])[0],
  async run(nextPrevRandao, sendOrder) {
    await sendOrder({ kind: 'plan', blocks: { nextPrevRandao } })
    return true
  },
})

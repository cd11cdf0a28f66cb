// hardhat_setStorageAt [address, position, word]: sets the slot in a separate block.
// Tested by test/api/dev-methods-started.test.ts
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import {
  parseAddress,
  parseArguments,
  parseHash,
  parseStoragePosition,
  required,
} from '../../params/arguments.ts'
import { devMethods } from './dev-method.ts'

type Input = { readonly address: Uint8Array; readonly slot: Uint8Array; readonly word: Uint8Array }

export const hardhatSetStorageAt = devMethods<Input>({
  names: ['hardhat_setStorageAt', 'anvil_setStorageAt'],
  summary: 'Sets the 32 bytes in a slot.',
  params: [
    requiredParam('address', wire.address),
    requiredParam('position', wire.position),
    requiredParam('word', wire.word),
  ],
  result: wire.flag,
  parse(params) {
    const [address, slot, word] = parseArguments(params, [
      required(parseAddress),
      required(parseStoragePosition),
      required(parseHash),
    ])
    return { address, slot, word }
  },
  addresses: ({ address }) => [address],
  async run({ address, ...word }, sendOrder, { labels }) {
    labels.block(await sendOrder({ kind: 'change', changes: [{ address, words: [word] }] }))
    return true
  },
})

// hardhat_reset []: restores the chain to its first block, with the settings of the network. A fork (`forking`) is refused.
// Tested by test/api/dev-methods-started.test.ts
import { Fault } from '../../../base/fault.ts'
import { optionalParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import { optional, parseArguments, readMembers } from '../../params/arguments.ts'
import { devMethods, done } from './dev-method.ts'

export const hardhatReset = devMethods<null>({
  names: ['hardhat_reset', 'anvil_reset'],
  summary: 'Goes back to the first block.',
  params: [optionalParam('options', wire.blockOverrides)],
  result: wire.anything,
  parse(params) {
    return parseArguments(params, [optional<null>(parseOptions, null)])[0]
  },
  async run(_input, sendOrder, _call, name) {
    await sendOrder({ kind: 'reset' })
    return done(name)
  },
})

function parseOptions(value: unknown, position: number): null {
  const members = readMembers(value, { position, path: 'ResetOptions' }, 'ResetOptions')
  const forking = members.get('forking') ?? {}
  const source = readMembers(forking, { position, path: 'ResetOptions.forking' }, 'Forking')
  // viem sends the object with null members.
  if ([...source.values()].every((each) => each === null)) return null
  throw new Fault('bad_params', {
    detail: `invalid argument ${position}: the settings name the forked network, not hardhat_reset (forking): set fork of the embedded chain, and use another data folder`,
  })
}

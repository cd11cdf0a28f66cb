// web3_sha3 [bytes]: their keccak256.
// Tested by src/rpc/methods/plain-answers.test.ts
import { toHex } from '../../../base/hex.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import type { RpcOperation } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { parseBytes } from '../../params/scalars.ts'

export const web3Sha3: RpcOperation<Uint8Array> = {
  name: 'web3_sha3',
  units: 80,
  parse(params) {
    const [bytes] = parseArguments(params, [required(parseBytes)])
    return bytes
  },
  run(bytes) {
    return Promise.resolve(toHex(keccak256(bytes)))
  },
}

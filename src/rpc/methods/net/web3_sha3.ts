// web3_sha3 [bytes]: their keccak256.
// Tested by src/rpc/methods/plain-answers.test.ts
import { toHex } from '../../../base/hex.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseBytes, required } from '../../params/arguments.ts'

export const web3Sha3: RpcMethod<Uint8Array> = {
  name: 'web3_sha3',
  summary: 'keccak256.',
  params: [requiredParam('data', wire.bytes)],
  result: wire.word,
  units: 80,
  parse(params) {
    const [bytes] = parseArguments(params, [required(parseBytes)])
    return bytes
  },
  run(bytes) {
    return Promise.resolve(toHex(keccak256(bytes)))
  },
}

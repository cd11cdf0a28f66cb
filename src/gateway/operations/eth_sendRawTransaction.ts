// eth_sendRawTransaction [bytes]: hands a signed transaction (types 0-4, type 3 with its sidecar) to the
// pool; the answer is its hash, computed here and not by a source.
// Tested by src/gateway/operations/by-hash.test.ts
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import type { RpcOperation } from '../operation.ts'
import { parseArguments, required } from '../params/arguments.ts'
import { parseBytes } from '../params/scalars.ts'

/** Room for a type-3 transaction with nine blobs, their commitments and cell proofs. */
const transactionBytesMax = 2 * 1024 * 1024

export const ethSendRawTransaction: RpcOperation<Uint8Array> = {
  name: 'eth_sendRawTransaction',
  units: 80,
  parse(params) {
    const [raw] = parseArguments(params, [required(parseBytes)])
    return raw
  },
  async run(raw, call) {
    if (raw.length > transactionBytesMax) {
      throw new Fault('pool_refused', {
        detail: `oversized data: transaction size ${raw.length}, limit ${transactionBytesMax}`,
      })
    }
    const { pool } = call.network
    call.labels.level(pool.level)
    return toHex(await pool.send(raw, call.signal))
  },
}

// `id`: who this server is to clients that ask before they work (contract-files 9). It has no peers to look up.
// Tested by src/gateway/operations/files-index.test.ts
import { base58btc } from 'multiformats/bases/base58'
import { identity } from 'multiformats/hashes/identity'
import { Fault } from '../../base/fault.ts'
import type { FilesOperation } from '../operation.ts'

/** Protobuf head of a libp2p public key: type Ed25519, 32 bytes of data. */
const keyHead = new Uint8Array([0x08, 0x01, 0x12, 0x20])

/** `publicKey`: 32 bytes, Ed25519, of this server; the peer id is made from it. */
export function createId(cairnVersion: string, publicKey: Uint8Array): FilesOperation<null> {
  const encoded = Buffer.concat([keyHead, publicKey])
  const peerId = base58btc.baseEncode(identity.digest(encoded).bytes)
  return {
    name: 'id',
    class: 'read',
    parse({ args }) {
      if (args.length > 0 && args[0] !== peerId) {
        throw new Fault('unsupported_option', {
          detail: 'option "peerid" is not supported by this server',
        })
      }
      return null
    },
    async run() {
      const value = {
        ID: peerId,
        PublicKey: encoded.toString('base64'),
        Addresses: [],
        AgentVersion: `cairn/${cairnVersion}`,
        Protocols: [],
      }
      return { kind: 'object', value }
    },
  }
}

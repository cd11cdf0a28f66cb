// The identity of this server as an IPFS node: its peer ID, and the address that the client used.
// Tested by src/kubo/commands/node/node-commands.test.ts
import { base58btc } from 'multiformats/bases/base58'
import { identity } from 'multiformats/hashes/identity'

/** Protobuf prefix of a libp2p public key: type Ed25519, 32 bytes of data. */
const keyHead = new Uint8Array([0x08, 0x01, 0x12, 0x20])

export type OwnNode = {
  /** In base58btc. */
  readonly peerId: string
  /** Protobuf of the public key, in base64. */
  readonly publicKey: string
}

/** `publicKey`: Ed25519 public key of this server, 32 bytes, from which the peer ID is derived. */
export function ownNode(publicKey: Uint8Array): OwnNode {
  const encoded = Buffer.concat([keyHead, publicKey])
  return {
    peerId: base58btc.baseEncode(identity.digest(encoded).bytes),
    publicKey: encoded.toString('base64'),
  }
}

/**
 * `host`, a Host header, as a multiaddr: `/ip4/127.0.0.1/tcp/8545/http`. Null if it contains no host. Only port 443 is assumed to
 * be TLS, because a TLS proxy in front does not report it.
 */
export function ownAddress(host: string): string | null {
  const match = /^(?:\[([\da-f:.]+)\]|([a-z\d._-]+))(?::(\d{1,5}))?$/i.exec(host)
  const [, v6, name = '', port = '80'] = match ?? []
  if (match === null) return null
  const kind = v6 !== undefined ? 'ip6' : /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) ? 'ip4' : 'dns'
  return `/${kind}/${v6 ?? name}/tcp/${port}/${port === '443' ? 'https' : 'http'}`
}

// IPNS names: the hash of a public key as `k51…` (a CID in base36), as a peer ID in base58btc, or as a CID of codec libp2p-key.
// Rule: https://specs.ipfs.tech/ipns/ipns-record/#ipns-name
// Tested by src/codec/ipld/ipns-record.test.ts
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { equalBytes } from '../../base/hex.ts'
import { cidOf, flatText, parseCid } from './cid.ts'
import {
  decodeMultihash,
  encodeMultihash,
  identityCode,
  sha256Code,
  sha256Name,
} from './multihash.ts'

export const libp2pKeyCodec = 0x72

export type IpnsName = {
  /** Of the public key in protobuf: the key itself (identity) or its sha2-256. */
  readonly multihash: Uint8Array
  /** `k51…`: CIDv1 in base36. */
  readonly text: string
}

/** Longer keys are represented by their hash. */
const inlineBytesMax = 42
const nameCharsMax = 128

/** `text`: without `/ipns/`. Null: not the name of a key, such as a DNS name. `anyCodec`: accepts CIDs of other codecs. */
export function parseIpnsName(text: string, { anyCodec = false } = {}): IpnsName | null {
  if (text.length > nameCharsMax) return null
  const isPeerId = text.startsWith('1') || (text.length === 46 && text.startsWith('Qm'))
  if (isPeerId) {
    try {
      return ipnsNameOf(base58btc.baseDecode(text))
    } catch {
      return null
    }
  }
  const cid = parseCid(text)
  if (cid === null || (cid.code !== libp2pKeyCodec && !anyCodec)) return null
  return ipnsNameOf(cid.multihash.bytes)
}

/** Null: not the multihash of a key. */
export function ipnsNameOf(multihash: Uint8Array): IpnsName | null {
  try {
    const { code, digest } = decodeMultihash(multihash)
    const isName =
      code === identityCode
        ? digest.length <= inlineBytesMax
        : code === sha256Code && digest.length === 32
    if (!isName) return null
  } catch {
    return null
  }
  return { multihash, text: flatText(cidOf(1, libp2pKeyCodec, multihash).toString(base36)) }
}

/** `publicKey`: in protobuf. */
export function nameOfKey(publicKey: Uint8Array): IpnsName {
  const isInline = publicKey.length <= inlineBytesMax
  const multihash = isInline ? encodeMultihash(identityCode, publicKey) : sha256Name(publicKey)
  return { multihash, text: flatText(cidOf(1, libp2pKeyCodec, multihash).toString(base36)) }
}

/** The public key that a name contains, in protobuf; null: the name contains only its hash. */
export function keyInName({ multihash }: IpnsName): Uint8Array | null {
  const { code, digest } = decodeMultihash(multihash)
  return code === identityCode ? digest : null
}

export function isNameOf(name: IpnsName, publicKey: Uint8Array): boolean {
  return equalBytes(name.multihash, nameOfKey(publicKey).multihash)
}

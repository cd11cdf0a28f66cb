// The server's two key pairs. One encrypts secrets; it is created once per data folder, or read from a file that several machines
// share. The other is the key of the server's peer in the IPFS network, which another process uses. `id` returns one of the two.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `secretsFile`: the file of the pair; null: `identity.pem` in the data folder, which is created if it is missing. */
export type IdentityLocation = { readonly dataDir: string; readonly secretsFile: string | null }

export function identityPath({ dataDir, secretsFile }: IdentityLocation): string {
  return secretsFile ?? join(dataDir, 'identity.pem')
}

/** The Ed25519 public key of the pair, 32 bytes (RFC 8032). Throws an Error if the configured file is missing. */
export function obtainPublicKey(location: IdentityLocation): Uint8Array {
  const { x } = createPublicKey(obtainPair(location)).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x ?? '', 'base64url'))
}

/** Bytes derived from the key pair, the same as long as it exists; source of encryption keys. Throws as `obtainPublicKey`. */
export function obtainSealSecret(location: IdentityLocation): Uint8Array {
  return new Uint8Array(obtainPair(location).export({ type: 'pkcs8', format: 'der' }))
}

function obtainPair(location: IdentityLocation): KeyObject {
  const path = identityPath(location)
  const existing = readKey(path)
  if (existing !== null) return existing
  if (location.secretsFile === null) return createKey(path)
  throw new Error(
    `secretsFile ${path} does not exist: copy identity.pem of another machine of this service there, or create it with openssl genpkey -algorithm ed25519 -out ${path}`,
  )
}

/** Seed of the peer's Ed25519 key in `<dataDir>/network.pem`, 32 bytes in base64url (RFC 8037, `d`). */
export function obtainPeerSeed(dataDir: string): string {
  const path = join(dataDir, 'network.pem')
  return (readKey(path) ?? createKey(path)).export({ format: 'jwk' }).d ?? ''
}

function readKey(path: string): KeyObject | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  return createPrivateKey(text)
}

/** If several processes start in a new folder, all use the key pair of the first. */
function createKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519')
  const fresh = `${path}.${randomUUID()}.new`
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(fresh, text, { mode: 0o600, flush: true })
  try {
    // Unlike a rename, a link does not replace an existing file.
    linkSync(fresh, path)
    return privateKey
  } catch (error) {
    const earlier = readKey(path)
    if (earlier === null) throw error
    return earlier
  } finally {
    unlinkSync(fresh)
  }
}

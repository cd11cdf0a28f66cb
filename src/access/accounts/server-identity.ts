// The server's key pair, created once per data folder. `id` reports it, so the server keeps its peer ID.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The Ed25519 public key, 32 bytes (RFC 8032), of the pair in `<dataDir>/identity.pem`. */
export function obtainPublicKey(dataDir: string): Uint8Array {
  const path = join(dataDir, 'identity.pem')
  const { x } = createPublicKey(readKey(path) ?? createKey(path)).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x ?? '', 'base64url'))
}

/** Bytes derived from the key pair, constant as long as it exists; source of encryption keys. */
export function obtainSealSecret(dataDir: string): Uint8Array {
  const path = join(dataDir, 'identity.pem')
  const pair = readKey(path) ?? createKey(path)
  return new Uint8Array(pair.export({ type: 'pkcs8', format: 'der' }))
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

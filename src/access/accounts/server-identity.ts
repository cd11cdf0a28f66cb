// The server's own key pair, made once per data folder: what `id` shows, so that a server keeps its name.
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

/** Bytes that stay the same as long as the key pair does, for what is sealed under a key worked out from them. */
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

/** Several processes may begin in a fresh folder at once: the first one's pair is everybody's. */
function createKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519')
  const fresh = `${path}.${randomUUID()}.new`
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(fresh, text, { mode: 0o600, flush: true })
  try {
    // Unlike a rename it never takes the place of what is there.
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

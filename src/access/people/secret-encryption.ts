// Encrypts secrets that must be readable again, so that a copy of the database does not reveal them: AES-256-GCM with a key derived
// (HKDF, RFC 5869) from the server's key file.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type SecretEncryption = {
  /** Encrypts. `name`: the owner; decryption needs the same name. The result is 28 bytes longer than `bytes`. */
  close(bytes: Uint8Array, name: string): Uint8Array
  /** Decrypts. Null: encrypted with another key or name, or altered. */
  open(sealed: Uint8Array, name: string): Uint8Array | null
}

const cipherName = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * `secret`: returns the same bytes for the life of the server; called at the first use. `purpose`: one for each kind of secret;
 * decryption needs the same one.
 */
export function createSecretEncryption(
  secret: () => Uint8Array,
  purpose = 'cairn seal of a person',
): SecretEncryption {
  let key: Uint8Array | null = null
  const keyNow = () => (key ??= new Uint8Array(hkdfSync('sha256', secret(), '', purpose, 32)))

  return {
    close(bytes, name) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(cipherName, keyNow(), nonce).setAAD(Buffer.from(name))
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    },

    open(sealed, name) {
      if (sealed.length < nonceBytes + tagBytes) return null
      const end = sealed.length - tagBytes
      const decipher = createDecipheriv(cipherName, keyNow(), sealed.subarray(0, nonceBytes))
        .setAAD(Buffer.from(name))
        .setAuthTag(sealed.subarray(end))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()])
      } catch {
        return null
      }
    },
  }
}

// Public keys that the request thread recovered ahead of an import (recover-ahead.ts), by signed hash and signature.
// Tested by src/devchain/recover-ahead.test.ts
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { joinLatin1 } from '../../base/hex.ts'
import type { Signer } from '../../codec/ethereum/sender.ts'

/** Receives from one port at a time. */
export class KnownKeys {
  #port: MessagePort | null = null
  readonly #keys = new Map<string, Uint8Array>()

  /** `take` reads the messages of `port`, when it is called. */
  listen(port: MessagePort): void {
    this.#port = port
  }

  /** Drops all keys and closes the port. */
  clear(): void {
    this.#port?.close()
    this.#port = null
    this.#keys.clear()
  }

  /** Returns the key (65 bytes) once, because the transaction caches it. Null: not recovered yet. */
  take({ hash, signature, yParity }: Omit<Signer, 'publicKey'>): Uint8Array | null {
    if (this.#port === null) return null
    this.#receive(this.#port)
    const name = nameOf(hash, signature, yParity)
    const key = this.#keys.get(name)
    this.#keys.delete(name)
    return key ?? null
  }

  /** Polls the port: the import runs in microtasks, so no message event arrives during it. */
  #receive(port: MessagePort): void {
    for (
      let received = receiveMessageOnPort(port);
      received;
      received = receiveMessageOnPort(port)
    ) {
      for (const { hash, signature, yParity, publicKey } of received.message as readonly Signer[]) {
        this.#keys.set(nameOf(hash, signature, yParity), publicKey)
      }
    }
  }
}

function nameOf(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): string {
  return `${joinLatin1(hash, signature)}${yParity}`
}

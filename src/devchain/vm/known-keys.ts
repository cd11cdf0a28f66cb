// Keys that the request thread recovered ahead of an import (recover-ahead.ts), found by what was signed.
// Tested by src/devchain/recover-ahead.test.ts
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { joinLatin1 } from '../../base/hex.ts'
import type { Signer } from '../../codec/ethereum/sender.ts'

/** One at a time listens. */
export class KnownKeys {
  #port: MessagePort | null = null
  readonly #keys = new Map<string, Uint8Array>()

  /** Takes what comes over `port`, at the moment when it is asked for. */
  listen(port: MessagePort): void {
    this.#port = port
  }

  /** Forgets all, and closes the port. */
  forget(): void {
    this.#port?.close()
    this.#port = null
    this.#keys.clear()
  }

  /** 65 bytes, or null when it is not known yet. Given once: the transaction keeps it. */
  take({ hash, signature, yParity }: Omit<Signer, 'publicKey'>): Uint8Array | null {
    if (this.#port === null) return null
    this.#receive(this.#port)
    const name = nameOf(hash, signature, yParity)
    const key = this.#keys.get(name)
    this.#keys.delete(name)
    return key ?? null
  }

  /** No event comes while the import runs from promise to promise: they are looked for. */
  #receive(port: MessagePort): void {
    for (let news = receiveMessageOnPort(port); news; news = receiveMessageOnPort(port)) {
      for (const { hash, signature, yParity, publicKey } of news.message as readonly Signer[]) {
        this.#keys.set(nameOf(hash, signature, yParity), publicKey)
      }
    }
  }
}

function nameOf(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): string {
  return `${joinLatin1(hash, signature)}${yParity}`
}

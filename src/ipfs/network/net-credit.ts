// Flow control of blocks in frames: the sender spends credit, and the receiver grants it again after passing a block on. Neither
// side buffers more than the window.
// Tested by src/ipfs/network/net-frames.test.ts
import { FrameError } from './net-frames.ts'

/** Initial and maximum credit: more than three of the largest blocks. */
export const creditWindowBytes = 16 * 1024 * 1024
/** Small grants are combined up to this size before a frame is sent. */
const grantBytesMin = 1024 * 1024

export type SendCredit = {
  /** Calls `send` as soon as the credit suffices, in call order. The caller limits the number of pending sends. */
  spend(bytes: number, send: () => void): void
  /** Throws FrameError if the sum would be over the window. */
  grant(bytes: number): void
  /** Number of pending sends. */
  readonly waiting: number
}

export function createSendCredit(): SendCredit {
  const waiting: { readonly bytes: number; readonly send: () => void }[] = []
  let left = creditWindowBytes

  return {
    spend(bytes, send) {
      if (waiting.length > 0 || bytes > left) return void waiting.push({ bytes, send })
      left -= bytes
      send()
    },
    grant(bytes) {
      left += bytes
      if (left > creditWindowBytes) throw new FrameError('more credit than the window')
      let sent = 0
      for (const { bytes: needed, send } of waiting) {
        if (needed > left) break
        left -= needed
        sent += 1
        send()
      }
      waiting.splice(0, sent)
    },
    get waiting() {
      return waiting.length
    },
  }
}

export type ReceiveCredit = {
  /** Counts received bytes. Throws FrameError if they exceed the sender's credit. */
  receive(bytes: number): void
  /** Releases bytes that were passed on. */
  release(bytes: number): void
}

/** `grant` sends a credit frame. */
export function createReceiveCredit(grant: (bytes: number) => void): ReceiveCredit {
  let left = creditWindowBytes
  let released = 0

  return {
    receive(bytes) {
      if (bytes > left) throw new FrameError('a block without credit')
      left -= bytes
    },
    release(bytes) {
      released += bytes
      if (released < grantBytesMin) return
      left += released
      grant(released)
      released = 0
    },
  }
}

// Sign-ins in progress at the provider: state, nonce and PKCE verifier of each. Cairn does not store them: the browser carries
// them, encrypted. Each is accepted once, within ten minutes, for the purpose it was created for. The encryption key exists only in
// this process.
// Tested by src/access/people/oidc/flows.test.ts
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { AccountsRefusal } from '../../accounts/account-rules.ts'
import { createSecretEncryption } from '../secret-encryption.ts'

export type Flow = {
  /** 256 random bits each, base64url. */
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
  /** Start on the monotonic clock, milliseconds. */
  readonly began: number
}

export type Flows = {
  /** `use`: purpose, session and provider; a response must match it. The seal is base64url. */
  create(use: string, redirectUri: string): { readonly flow: Flow; readonly seal: string }
  /** Consumes it. Throws AccountsRefusal `challenge_over`: expired, used, altered, for another use; `overloaded`. */
  consume(seal: string, use: string): Flow
}

export const flowMs = 600_000
const usedMax = 20_000

/** `usedMax`: maximum number of responses within ten minutes; more are refused. */
export function createFlows(parts: { readonly clock: Clock; readonly usedMax?: number }): Flows {
  const { clock } = parts
  const flowsMax = parts.usedMax ?? usedMax
  const key = randomBytes(32)
  const encryption = createSecretEncryption(() => key)
  // Expiry of each used state, in the order of responses, so an expired one may be deleted late.
  const used = new Map<string, number>()

  function deleteExpired(now: number): void {
    for (const [state, expires] of used) {
      if (expires > now) return
      used.delete(state)
    }
  }

  return {
    create(use, redirectUri) {
      const random = () => randomBytes(32).toString('base64url')
      const began = Math.floor(clock.monotonic())
      const flow = { state: random(), nonce: random(), verifier: random(), redirectUri, began }
      const sealed = encryption.close(Buffer.from(JSON.stringify(flow)), use)
      return { flow, seal: Buffer.from(sealed).toString('base64url') }
    },

    consume(seal, use) {
      const opened = encryption.open(Buffer.from(seal, 'base64url'), use)
      const now = clock.monotonic()
      const flow = opened === null ? null : (JSON.parse(Buffer.from(opened).toString()) as Flow)
      if (flow === null || flow.began + flowMs <= now) {
        throw challengeError('this sign-in took too long, or was begun elsewhere: try again')
      }
      if (used.has(flow.state)) throw challengeError('this sign-in was answered already: try again')
      deleteExpired(now)
      if (used.size >= flowsMax) throw new Fault('overloaded')
      used.set(flow.state, flow.began + flowMs)
      return flow
    },
  }
}

function challengeError(message: string): AccountsRefusal {
  return new AccountsRefusal('challenge_over', message)
}

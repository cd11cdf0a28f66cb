// Bounds the concurrent requests to the admin API: of one person, of one address without a session, of all such addresses
// together, and of all callers, so that none shuts others out. Such an address's body is read before it takes a share.
import { Fault } from '../../base/fault.ts'
import type { Principal } from '../principal.ts'

export type KeyedSemaphore = {
  /** Returns false, without effect, if `holder` has reached the limit. */
  acquire(holder: string): boolean
  /** One that was taken. */
  release(holder: string): void
}

/** Holders are forgotten with the last they give back. */
export function createKeyedSemaphore(most: number): KeyedSemaphore {
  const held = new Map<string, number>()
  return {
    acquire(holder) {
      const count = held.get(holder) ?? 0
      if (count >= most) return false
      held.set(holder, count + 1)
      return true
    },
    release(holder) {
      const left = (held.get(holder) ?? 1) - 1
      if (left === 0) held.delete(holder)
      else held.set(holder, left)
    },
  }
}

export type AdminConcurrency = {
  /** `from`: the network of the caller's address. Returns what gives the share back. Throws `overloaded`. */
  acquire(actor: Principal | null, from: string): () => void
}

/** Of one person, tokens of theirs included. */
const perPersonMax = 64
/** For all unauthenticated callers: the rest of the capacity is reserved for signed-in people. */
const strangersMax = 128
const strangersPerAddressMax = 16
/** Of all. */
const requestsMax = 256

export function createAdminConcurrency(): AdminConcurrency {
  const people = createKeyedSemaphore(perPersonMax)
  const addresses = createKeyedSemaphore(strangersPerAddressMax)
  let strangers = 0
  let requests = 0

  function takePerson(personId: string): () => void {
    if (people.acquire(personId)) return () => people.release(personId)
    throw new Fault('overloaded', {
      detail: `${perPersonMax} requests of yours are under way here already`,
    })
  }

  function takeStranger(from: string): () => void {
    if (strangers >= strangersMax || !addresses.acquire(from)) throw new Fault('overloaded')
    strangers++
    return () => {
      strangers--
      addresses.release(from)
    }
  }

  return {
    acquire(actor, from) {
      if (requests >= requestsMax) throw new Fault('overloaded')
      const giveBack = actor?.kind === 'person' ? takePerson(actor.personId) : takeStranger(from)
      requests++
      return () => {
        requests--
        giveBack()
      }
    },
  }
}

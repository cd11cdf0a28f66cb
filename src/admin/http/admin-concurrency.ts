// Bounds the concurrent requests to the admin API: of one person, of one address without a session, of all such addresses
// together, and of all callers, so that none shuts others out. Such an address's body is read before it takes a share.
import { Fault } from '../../base/fault.ts'
import type { Principal } from '../principal.ts'
import { createKeyedSemaphore } from './keyed-semaphore.ts'

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

// Bounds the concurrent requests to the admin API: of one person, of one address without a session, of all such addresses
// together, and of all callers, so that none shuts others out. Such an address's body is read before it takes a share.
import { Fault } from '../../base/fault.ts'
import type { Actor } from '../../gateway/admin/actor.ts'
import { createShares } from './shares.ts'

export type AdminShares = {
  /** `from`: the network of the caller's address. Returns what gives the share back. Throws `overloaded`. */
  take(actor: Actor | null, from: string): () => void
}

/** Of one person, tokens of theirs included. */
const perPersonMax = 64
/** Of all whom nobody knows yet: the others that the face takes are left for people who signed in. */
const strangersMax = 128
const strangersPerAddressMax = 16
/** Of all. */
const requestsMax = 256

export function createAdminShares(): AdminShares {
  const people = createShares(perPersonMax)
  const addresses = createShares(strangersPerAddressMax)
  let strangers = 0
  let requests = 0

  function takePerson(personId: string): () => void {
    if (people.take(personId)) return () => people.giveBack(personId)
    throw new Fault('overloaded', {
      detail: `${perPersonMax} requests of yours are under way here already`,
    })
  }

  function takeStranger(from: string): () => void {
    if (strangers >= strangersMax || !addresses.take(from)) throw new Fault('overloaded')
    strangers++
    return () => {
      strangers--
      addresses.giveBack(from)
    }
  }

  return {
    take(actor, from) {
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

// A pin in replies, with its announcement as far as the account may see it.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import type { PinPage } from '../../../ipfs/pins/pin-list.ts'
import { provide } from '../accounts/account-schema.ts'
import { keyId } from '../keys/key-schema.ts'
import { time } from '../../time-schema.ts'

export const listedPin = z.object({
  cid: z.string(),
  mode: z.enum(['recursive', 'direct']),
  name: z.string(),
  created: time,
  /** The key that added the pin; null: unknown, as for pins of versions before 0.2. */
  keyId: keyId.nullable(),
  /** Size of the whole DAG, each block counted once; null: the count is not complete yet. */
  bytes: z.int().nullable(),
  blocks: z.int().nullable(),
  /** Restricts the account's setting for this pin. */
  provide,
  /** Last announcement of the root that a peer of the DHT stored; null: none, or the pin is private. */
  announcedAt: time.nullable(),
  /** Next announcement, 0: as soon as possible; null: the pin is private, or the server announces nothing. */
  announcesAt: time.nullable(),
})

/** `isOpen`: the account's setting makes pins public. `hasPlan`: the server announces public pins. */
export function toListedPin(
  { announced, due, ...pin }: PinPage['pins'][number],
  { isOpen, hasPlan }: { readonly isOpen: boolean; readonly hasPlan: boolean },
): z.infer<typeof listedPin> {
  // Another account may announce the same root.
  const isPublic = isOpen && pin.provide !== 'none' && due !== null
  return {
    ...pin,
    announcedAt: isPublic ? announced : null,
    announcesAt: isPublic && hasPlan ? due : null,
  }
}

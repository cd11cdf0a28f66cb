// `GET /accounts/{account}/files/{cid}`: one CID in an account: its pin, the key that added it, and the pins that contain it.
// Tested by test/admin/admin-files.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { apiKey } from '../keys/key-schema.ts'
import { listedPin, toListedPin } from './pin-schema.ts'

const input = z.strictObject({ account: accountId, cid: z.string().max(300) })
const output = z.object({
  /** Null: the account has not pinned this exact CID. */
  pin: listedPin.nullable(),
  /** The server announces public pins on the IPFS network. */
  announces: z.boolean(),
  /** The key that added the pin; null: unknown. */
  key: apiKey.pick({ id: true, name: true, prefix: true }).nullable(),
  partOf: z.object({
    /** Other pins of the account that contain the block, by CID: at most five. */
    pins: z.array(z.object({ cid: z.string(), name: z.string() })),
    /** There may be others: five were found, or the first 10,000 pins of the account were examined. */
    more: z.boolean(),
    /** The block is in the account's file tree (MFS). */
    tree: z.boolean(),
  }),
})

export const getFile = {
  id: 'getFile',
  method: 'GET',
  path: '/accounts/{account}/files/{cid}',
  role: 'member',
  summary: 'The pin of a CID, the key that added it, and the other pins that contain the CID.',
  input,
  output,
  async run({ account, cid }, { pins, accounts, server }) {
    const { settings } = await accounts.getAccountById(account)
    const hasPlan = (await server?.announcements()) != null
    const [found, partOf] = await Promise.all([
      pins.find(account, cid),
      pins.containing(account, cid),
    ])
    const key = found?.keyId ?? null
    return {
      pin: found && toListedPin(found, { isOpen: settings.provide !== 'none', hasPlan }),
      announces: hasPlan,
      key: key === null ? null : await accounts.findKeyOf(account, key),
      partOf: { ...partOf, pins: [...partOf.pins] },
    }
  },
} satisfies JsonOperation<typeof input, typeof output>

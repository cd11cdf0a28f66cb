// `POST /accounts/{account}/files/{cid}/announcement`: announces the root of a public pin again, before its next time.
// Tested by test/network/announced.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { getPublicPin } from './public-pin.ts'

/** Between two announcements. */
const pauseMs = 60_000

const input = z.strictObject({
  account: accountId,
  /** As in the list of pins. */
  cid: z.string().max(300),
})
const output = z.object({ cid: z.string() })

export const announcePin = {
  id: 'announcePin',
  method: 'POST',
  path: '/accounts/{account}/files/{cid}/announcement',
  role: 'owner',
  summary: 'Announce the root of a public pin again, within seconds.',
  input,
  output,
  async run({ account, cid }, { pins, server, clock, ...context }) {
    const { announced } = await getPublicPin(account, cid, { pins, ...context })
    if ((await server?.announcements()) == null) {
      throw new Fault('bad_input', {
        detail: 'this server announces nothing: set ipfsNetwork.mode to provide',
      })
    }
    const now = clock.now()
    if (announced !== null && announced > now - pauseMs) {
      throw new Fault('bad_input', { detail: 'cid: it was announced less than a minute ago' })
    }
    await pins.announce(cid)
    return { cid }
  },
} satisfies JsonOperation<typeof input, typeof output>

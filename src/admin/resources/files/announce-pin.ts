// `POST /accounts/{account}/files/{cid}/announcement`: announces the root of a public pin again, before its next time.
// Tested by test/network/announced.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { noServer } from '../server/get-status.ts'
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
    if (server === null) throw noServer()
    const { announced } = await getPublicPin(account, cid, { pins, ...context })
    if ((await server.announcements()) === null) {
      throw new Fault('conflict', {
        detail: 'this server announces nothing: set ipfsNetwork.mode to provide',
      })
    }
    if (announced !== null && announced > clock.now() - pauseMs) {
      throw new Fault('conflict', { detail: 'the pin was announced less than a minute ago' })
    }
    if (!(await pins.announce(cid))) {
      throw new Fault('conflict', {
        detail:
          'no announcement of the pin can be brought forward: it is due within a minute, the last one failed, or the plan is full (ipfsNetwork.provide.cidsMax)',
      })
    }
    return { cid }
  },
} satisfies JsonOperation<typeof input, typeof output>

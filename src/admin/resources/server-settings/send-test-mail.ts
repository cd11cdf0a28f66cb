// `POST /server-settings/test-mail`: sends a mail to the calling operator's address through the configured mail server.
// Tested by test/admin/server-settings.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { noServer } from '../server/get-status.ts'

const input = z.strictObject({})
const output = z.object({ to: z.string() })

export const sendTestMail = {
  id: 'sendTestMail',
  method: 'POST',
  path: '/server-settings/test-mail',
  role: 'operator',
  summary: 'Send a test mail to your own address. Replies when the mail server has accepted it.',
  input,
  output,
  async run(_input, { actor, serverSettings: view }) {
    if (view === null || actor?.kind !== 'person') throw noServer()
    try {
      await view.sendTestMail(actor.email)
    } catch (cause) {
      if (cause instanceof Fault) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      const detail = `the mail server did not accept the mail: ${reason.slice(0, 300)}`
      throw new Fault('command_failed', { detail, cause })
    }
    return { to: actor.email }
  },
} satisfies JsonOperation<typeof input, typeof output>

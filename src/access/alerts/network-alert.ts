// Mails operators when the IPFS network of this server is down: at most once a day, and again if no mail was accepted.
// Tested by src/access/alerts/network-alert.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Rows } from '../../db/rows.ts'
import { listOperators } from '../../tables/people.ts'
import { dayMs } from '../usage/usage-row.ts'
import type { Mailer } from './send-mail.ts'

/** Maximum number of operators who receive a mail. */
const recipientsMax = 20
const subject = 'Cairn: the IPFS network is down'

/** Returns a function to call at each exit of the network process while the network is down. It never rejects. */
export function createNetworkAlert(parts: {
  readonly rows: Pick<Rows, 'find'>
  readonly mailer: Mailer
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): (reason: string) => Promise<void> {
  const { rows, mailer, clock, log } = parts
  let sentAt: number | null = null

  async function send(reason: string): Promise<boolean> {
    const operators = (await rows.find(listOperators())).slice(0, recipientsMax)
    const text = [
      'The process of the IPFS network ended five times in ten minutes. Cairn restarts it, and everything else works.',
      `The last end: ${reason}`,
      'See network_process_ended in the log, or run cairn doctor.',
    ].join('\n\n')
    const mails = operators.map(({ email: to }) =>
      mailer.send({ to, subject, text: `${text}\n` }).then(
        () => true,
        (error: unknown) => {
          log('warn', 'alert_tried', { kind: 'mail', alert: 'network_down', error })
          return false
        },
      ),
    )
    return (await Promise.all(mails)).some(Boolean)
  }

  return async (reason) => {
    const now = clock.now()
    if (!mailer.canSend() || (sentAt !== null && now < sentAt + dayMs)) return
    sentAt = now
    try {
      if (!(await send(reason))) sentAt = null
    } catch (error) {
      sentAt = null
      log('error', 'alert_not_sent', { kind: 'mail', alert: 'network_down', error })
    }
  }
}

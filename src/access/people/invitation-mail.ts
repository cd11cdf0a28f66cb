// Sends an invitation by mail. The link is the only credential, so it is never logged.
// Tested by src/access/people/invitation-mail.test.ts
import type { Log } from '../../base/log.ts'

type Invited = {
  readonly role: string
  readonly accountName: string | null
  readonly email: string | null
  readonly expires: number
}

/** `link`: the whole URL. False: the invitation has no address, no mail server is configured, or the server refused the mail. */
export type MailInvitation = (invitation: Invited, link: string) => Promise<boolean>

export function createInvitationMail(parts: {
  readonly canSend: () => boolean
  readonly send: (mail: {
    readonly to: string
    readonly subject: string
    readonly text: string
  }) => Promise<void>
  readonly log: Log
}): MailInvitation {
  const { canSend, send, log } = parts
  return async ({ role, accountName, email, expires }, link) => {
    if (email === null || !canSend()) return false
    const as = accountName === null ? role : `${role} of ${accountName}`
    const text = `You are invited to a Cairn as ${as}. This link opens it, once, until ${new Date(expires).toUTCString()}:

${link}

Who did not expect this may throw it away: nothing is made before the link is opened.
`
    try {
      await send({ to: email, subject: `You are invited as ${as}`, text })
      return true
    } catch (error) {
      // The inviter still has the link.
      log('error', 'invitation_not_mailed', { error })
      return false
    }
  }
}
